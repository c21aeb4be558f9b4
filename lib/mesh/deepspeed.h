#pragma once
// The dialect deepspeed as a Mesh: families ds_model, data, pipe, slice (the grid's creation order), then ep and edp.

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/deepspeed_spec.h"
#include "lib/mesh/mesh.h"

namespace muster::mesh {

// Without the axes pipe and data there is no pipeline grid: then one family an axis, named after it.
//
// Refused with the rules of deepspeed_topology.h, deepspeed_grid.h and deepspeed_experts.h;
// "grid_product_equals_world"; careful also "experts_need_pipe_data_model": upstream deals experts as if the axes were
// pipe, data, model, whatever they are.
absl::StatusOr<std::shared_ptr<const Mesh>> MakeDeepSpeedMesh(const DeepSpeedSpec& spec, Compat compat, int64_t world);

}  // namespace muster::mesh
