#pragma once
// The jobs that have nodes, as the queue sees them. Loop only.

#include <vector>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/queue/horizon.h"
#include "lib/queue/turn.h"
#include "server/core/job_table.h"
#include "server/core/node_table.h"

namespace muster::core {

queue::Turn TurnOf(const Job& job);

// From its placement until its nodes are seen free again, at most: maxDuration and the time that a stop may take.
// InfiniteDuration: it declares none.
absl::Duration LongestHold(const Job& job);

// Those with a node of `cluster`, by submission. `nodes` is what the cluster was made of.
std::vector<queue::Holder> HoldersOf(const JobTable& jobs, NodeTable& nodes, const placement::Cluster& cluster);

}  // namespace muster::core
