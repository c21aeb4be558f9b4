#pragma once
// NeMo-RL's policy layout and its data lanes. Source: nemo_rl/models/policy/lm_policy.py.

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/mesh/family.h"
#include "lib/mesh/named_sharding.h"

namespace muster::mesh {

struct PolicyDegrees {
  int64_t pp = 1;
  int64_t cp = 1;
  int64_t tp = 1;
  // Generalized tensor parallel degree. Folded into data_parallel: lane = d·G + g, so that a dispatcher which shards
  // only data_parallel still feeds every weight shard (rank = t + T·(c + C·(g + G·d)) inside a stage).
  int64_t gtp = 1;
};

// The layout (pipeline_parallel, data_parallel, context_parallel, tensor_parallel) of `world` workers, data_parallel
// being what remains, weight shards counted in. Refused: "degree_out_of_range", "world_at_least_model_parallel",
// "model_parallel_divides_world"; with gtp > 1 "gtp_divides_lanes".
absl::StatusOr<NamedSharding> PolicySharding(int64_t world, const PolicyDegrees& degrees);

// Data lane of a rank: (rank div (cp·tp)) mod lanes. Precondition: the degrees fit the world; 0 <= rank < world.
int64_t LaneOf(GlobalRank rank, int64_t world, const PolicyDegrees& degrees);

// d and g of a lane; the fold's inverse.
struct FoldedLane {
  int64_t data = 0;
  int64_t gtp = 0;
};
inline FoldedLane Unfold(int64_t lane, const PolicyDegrees& degrees) {
  return {lane / degrees.gtp, lane % degrees.gtp};
}

}  // namespace muster::mesh
