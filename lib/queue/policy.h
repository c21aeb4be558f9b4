#pragma once
// What the operator decides about the queue.

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace muster::queue {

// Stands for every namespace that isn't named.
inline constexpr char kOthers[] = "*";

struct Policy {
  // A point of priority is worth this much waiting: a job goes before every one of less priority, unless that one has
  // waited this much longer for each point. So nothing starves: from some time on nobody can come before a job. Among
  // jobs of equal priority, how far the namespace that has less may go before older jobs.
  absl::Duration ageing = absl::Hours(24);
  // Namespace -> weight, 1 where it isn't named: of two namespaces whose jobs have equal priority, the one goes first
  // that has fewer nodes for its weight.
  std::map<std::string, int64_t> shares;
  // Namespace -> nodes that its jobs may have at once. Not named: no limit.
  std::map<std::string, int64_t> quotas;
  // Whether the first that waits may stop jobs of less priority.
  bool preempt = false;
  // What stopping a job may take. No job is stopped for nodes that come free by themselves, as declared, within this
  // time.
  absl::Duration stop = absl::Minutes(2);
  // Jobs that wait are given reservations until there are this many; jobs behind may then go before those further back,
  // never before these.
  int32_t reservations = 16;
  // Jobs that are held against the nodes one by one in one run; those behind wait for the next. Counting alone is free.
  int32_t looks = 256;

  int64_t ShareOf(const std::string& ns) const { return ValueOf(shares, ns, 1); }
  int64_t QuotaOf(const std::string& ns) const { return ValueOf(quotas, ns, std::numeric_limits<int64_t>::max()); }

 private:
  static int64_t ValueOf(const std::map<std::string, int64_t>& values, const std::string& ns, int64_t otherwise) {
    auto found = values.find(ns);
    if (found == values.end()) found = values.find(kOthers);
    return found == values.end() ? otherwise : found->second;
  }
};

}  // namespace muster::queue
