#pragma once
// What a user asks of the dialect nemo, named as NeMo-RL names it.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/grid.h"

namespace muster::mesh {

// Axis names that NeMo-RL's own code uses.
inline constexpr char kDataParallel[] = "data_parallel";
inline constexpr char kTensorParallel[] = "tensor_parallel";
inline constexpr char kContextParallel[] = "context_parallel";
inline constexpr char kPipelineParallel[] = "pipeline_parallel";
inline constexpr char kGtpWeightRemat[] = "gtp_weight_remat";

// How a call's argument and its results are spread over the axes. An axis in neither `sharded` nor `replicated` is
// free: only its coordinate 0 gets data.
struct DispatchSpec {
  std::vector<std::string> sharded;  // in this order the argument is indexed
  std::vector<std::string> replicated;
  std::vector<std::string> output_replicated;  // only coordinate 0 returns
  bool dummy_calls = false;                    // workers without data are called with none
};

struct NemoSpec {
  // Outermost first. pipeline_parallel, data_parallel, context_parallel, tensor_parallel for a policy.
  std::vector<Axis> axes;
  // Worker at each place, row-major; empty: 0, 1, 2 ...
  std::vector<int64_t> layout;
  // Checked with the mesh, so that a job with a broken one is refused before it starts.
  DispatchSpec dispatch;
};

}  // namespace muster::mesh
