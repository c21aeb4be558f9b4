#pragma once
// What moving running jobs would gain: proposals for people. Nothing here is ever acted on by itself, as each move
// costs a job its work since its last save.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"
#include "lib/queue/horizon.h"

namespace muster::queue {

struct Move {
  JobUid uid;
  std::string job;
  int64_t nodes = 0;
  int64_t lost = 0;  // node-seconds of work
  std::vector<NodeIndex> to;
};

struct Proposal {
  // Where the job would fit, once these have moved: "rack b1/r2", or "the cluster".
  std::string domain;
  std::vector<Move> moves;
  int64_t lost = 0;
  // One sentence: "moving team-a/small (2 nodes, 12 node-hours of work) elsewhere would make room for it now in rack
  // b1/r2".
  std::string text;
};

// Running jobs that could be restarted elsewhere at once (each has a request, isn't leaving, and fits on nodes that are
// free now) so that the job, which doesn't fit now, does: those with the least work to lose. nullopt: it fits already,
// or no such moves are found. Looks at placements, so it is for those who ask, not for each run of the queue.
std::optional<Proposal> Defragment(const placement::Request& request, const placement::Cluster& cluster,
                                   const std::vector<Holder>& holders, const placement::HopCosts& costs,
                                   absl::Time now);

}  // namespace muster::queue
