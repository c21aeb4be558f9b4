#pragma once
// What a user asks of the dialect deepspeed, named as DeepSpeed's topology and groups modules name it.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/grid.h"

namespace muster::mesh {

// How the expert groups are dealt within a pipeline stage. With a model degree of 1 all three are the same.
enum class ExpertMode {
  kModelData,  // along each tensor index's data ranks: what a Megatron-style mpu gets
  kTensor,     // the stage taken tensor index by tensor index, then cut into blocks (mp_mode "tp")
  kSequence,   // the stage cut into blocks of consecutive ranks (mp_mode "sp")
};

struct DeepSpeedSpec {
  // Outermost first: the last axis varies fastest. pipe, data, model for PipeModelDataParallelTopology. Empty:
  // upstream's default, the world's prime factors dealt alternately to pipe and data.
  std::vector<Axis> axes;
  // Expert parallel degree; 1 or 0: no expert groups. They need the axes pipe, data, model (or some of them, in this
  // order).
  int64_t expert_parallel_size = 1;
  bool data_before_expert = false;
  ExpertMode expert_mode = ExpertMode::kModelData;
};

}  // namespace muster::mesh
