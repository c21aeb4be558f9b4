#pragma once
// DeepSpeed's PipelineParallelGrid: the groups that its pipeline engine creates over a topology.
// Source: deepspeed/runtime/pipe/topology.py.

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/mesh/deepspeed_topology.h"
#include "lib/mesh/family.h"
#include "lib/mesh/group.h"

namespace muster::mesh {

struct DeepSpeedGrid {
  // Sizes as the engine sees them: 1 for an axis that the topology lacks.
  int64_t pipe = 1;
  int64_t data = 1;
  int64_t model = 1;

  // In creation order.
  Family ds_model;  // all ranks of one data index
  Family data_groups;
  Family pipe_groups;
  Family slice;  // along the model axis; single ranks where it is 1

  // Not created as groups: each rank with its next stage, wrapping, in rank order.
  Family p2p_pairs;

  // Calls that create a communicator, over all families.
  int64_t new_group_calls() const;
};

// Refused: "grid_product_equals_world" if the topology has not `world` ranks; "axis_unknown" without the axes pipe and
// data.
absl::StatusOr<DeepSpeedGrid> MakeDeepSpeedGrid(const DeepSpeedTopology& topology, int64_t world);

// The ranks of `rank`'s pipeline, by stage. Precondition: the topology has the axis pipe and the rank.
Group StagesOf(const DeepSpeedTopology& topology, GlobalRank rank);

}  // namespace muster::mesh
