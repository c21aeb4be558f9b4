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

// From a placement at `now` until its nodes are seen free again, at most: what is less of its maxDuration and of what
// is left of its deadline, and the time that a stop may take. InfiniteDuration: it declares neither.
absl::Duration LongestHold(const Job& job, absl::Time now);

// When the nodes of a job that has some are seen free again at the latest, likewise; `now` where their end has begun.
// InfiniteFuture: it declares neither.
absl::Time EndsBy(const Job& job, absl::Time now);

// Those with a node of `cluster`, by submission. `nodes` is what the cluster was made of.
std::vector<queue::Holder> HoldersOf(const JobTable& jobs, NodeTable& nodes, const placement::Cluster& cluster,
                                     absl::Time now);

}  // namespace muster::core
