#pragma once
// When a job that waits can start at the latest, by what is declared.

#include <map>
#include <string>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/placement/request.h"

namespace muster::placement {

// What is declared of nodes, by their names.
struct Outlook {
  absl::Time now;
  // When whoever has the node is gone at the latest.
  std::map<std::string, absl::Time> ends;
  // When a node is ok again by itself.
  std::map<std::string, absl::Time> heals;
};

// One sentence: "possible by 15:40 UTC (in 1h35m), when team-a/small has ended and gpu-c07 is let back"; or that no
// declared end makes room. Counting alone, job by job and node by node in the order of their times; the queue's order
// is not part of it. Precondition: it can't be placed on the cluster as it is.
std::string FirstChance(const Request& request, const Cluster& cluster, const Outlook& outlook);

}  // namespace muster::placement
