#include "lib/mesh/megatron_grid.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/mesh/checked.h"
#include "lib/mesh/megatron_order.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

// In the sequence in which upstream appends the axes that an order leaves out.
std::vector<Axis> AxesOf(const MegatronSizes& sizes) {
  std::vector<Axis> axes = {{"tp", sizes.tp}, {"pp", sizes.pp}, {"dp", sizes.dp}, {"ep", sizes.ep}, {"cp", sizes.cp}};
  if (sizes.has_gtp_axis) axes.push_back({"gtp_remat", sizes.gtp});
  return axes;
}

}  // namespace

absl::StatusOr<MegatronGrid> MegatronGrid::Create(absl::string_view order, const MegatronSizes& sizes,
                                                  int64_t rank_offset, Compat compat) {
  if (sizes.ep != 1 && sizes.cp != 1) {
    return Refuse("ep_and_cp_in_one_generator",
                  absl::StrCat("ep ", sizes.ep, " and cp ", sizes.cp,
                               ": one grid has either; ep belongs to the expert grid, cp to the dense one"));
  }
  const std::vector<Axis> axes = AxesOf(sizes);
  auto tokens = OrderTokens(order, axes, compat);
  if (!tokens.ok()) return tokens.status();
  std::vector<Axis> ordered;
  for (const std::string& token : *tokens) {
    for (const Axis& axis : axes) {
      if (axis.name == token) ordered.push_back(axis);
    }
  }
  auto grid = Grid::Create(std::move(ordered), rank_offset);
  if (!grid.ok()) return grid.status();
  const auto world = CheckedProduct({sizes.tp, sizes.pp, sizes.dp, sizes.ep, sizes.cp, sizes.gtp});
  if (!world || *world < 1) return Refuse("grid_too_big", "the product of the sizes passes 2^63-1");
  MegatronGrid made;
  made.grid_ = *std::move(grid);
  made.world_ = *world;
  return made;
}

absl::StatusOr<StridedLayout> MegatronGrid::Groups(absl::Span<const absl::string_view> axes) const {
  for (absl::string_view axis : axes) {
    if (grid_.Find(axis)) continue;
    return Refuse("axis_token_absent",
                  absl::StrCat("order: does not name ", axis, ", although it contains the letters"));
  }
  if (world_ != grid_.world()) {
    return Refuse("order_lacks_tp_unnoticed",
                  absl::StrCat("order: its axes make ", grid_.world(), " ranks, the sizes ", world_,
                               ": tp has no place of its own (gtp_remat contains its letters). Add tp"));
  }
  return GridLayout(grid_, grid_.Select(axes));
}

}  // namespace muster::mesh
