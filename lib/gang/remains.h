#pragma once
// What may still run of a job on one node, by who can say that it has ended (lifecycle rules 5-7).

#include <compare>
#include <cstdint>
#include <set>

#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"

namespace muster::gang {

// A command that was released to a member (or to one worker of it) which somebody else started.
struct Process {
  PodIndex index;
  // -1: the whole member called by itself.
  int32_t local_rank = -1;
  Incarnation incarnation;
  // The epoch it was released in: the same incarnation may run a command in each.
  Epoch epoch;
  friend auto operator<=>(const Process&, const Process&) = default;
};

struct Remains {
  // Started by the node's agent on our order (children of a test, members): the agent or a person confirms.
  bool children = false;
  // Pods of a JobSet that Muster made: the API server or a person confirms.
  bool pods = false;
  // Started by others: each reports its own end, or its pod is seen gone, or a person confirms.
  std::set<Process> members;

  bool empty() const { return !children && !pods && members.empty(); }
  // Whether Muster started some of it, so that Muster has to end it (rule 6).
  bool ours() const { return children || pods; }
  void Merge(const Remains& other) {
    children |= other.children;
    pods |= other.pods;
    members.insert(other.members.begin(), other.members.end());
  }
  friend bool operator==(const Remains&, const Remains&) = default;
};

}  // namespace muster::gang
