#pragma once
// Megatron's all-gather twins: communicators of the data-parallel ranks for all-gather alone, created by a later call.

#include "absl/status/status.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/megatron_degrees.h"
#include "lib/mesh/megatron_spec.h"
#include "lib/mesh/mesh_builder.h"

namespace muster::mesh {

// Adds dp_cp_ag and, with ep > 1, ep_dp_ag. Upstream computes them in the default order without rank offset, whatever
// the job's, and with gtp > 1 on a grid that is gtp times too big; so they may pair other ranks than dp_cp and ep_dp
// do. kCareful refuses exactly then: "all_gather_groups_differ".
absl::Status AddAllGatherFamilies(const MegatronSpec& spec, const MegatronDegrees& degrees, Compat compat,
                                  MeshBuilder& builder);

}  // namespace muster::mesh
