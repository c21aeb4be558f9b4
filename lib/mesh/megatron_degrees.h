#pragma once
// From Megatron's degrees to its two grids, with every check that stands between them.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/megatron_grid.h"
#include "lib/mesh/megatron_spec.h"

namespace muster::mesh {

// A spec that passed all checks: building families from it cannot fail.
struct MegatronDegrees {
  int64_t world = 1;
  int64_t dp = 1;   // data parallel degree of the dense grid, gtp not counted in
  int64_t edp = 1;  // and of the expert grid, egtp not counted in
  MegatronGrid dense;
  MegatronGrid expert;
  // What careful does about this spec that upstream does not.
  std::vector<std::string> notes;
};

// Makes upstream's checks in upstream's order, so that the first broken rule is the one that a user of Megatron meets:
//   sharp_group_without_sharp, sharp_group_unknown, sharp_replica_needs_distopt; gtp_needs_one_distopt_instance;
//   zero_size, dense_grid_divides_world; virtual_pp_needs_pp; what the dense grid refuses (megatron_grid.h);
//   zero_size, expert_grid_divides_world; what the expert grid refuses; pp_not_last_needs_equal_dp;
//   pp_groups_must_agree; dp_cp_divisible_by_distopt; upstream_defect_sharp_dp (kUpstream);
//   hybrid_cp_needs_even_group; hcp_too_deep, hcp_product_equals_cp; pp_backend_unknown;
//   expert_dp_divisible_by_distopt.
// Before all: zero_size for the world, gtp_needs_newer_revision where the revision lacks the axis.
// kCareful also refuses: order_not_lower_case where gtp_remat would change its place; hybrid_cp_needs_no_pipeline, as
// Megatron's launcher does.
absl::StatusOr<MegatronDegrees> CheckMegatronSpec(const MegatronSpec& spec, Compat compat, int64_t world);

}  // namespace muster::mesh
