#include "lib/mesh/deepspeed_grid.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

StridedLayout Singletons(const Grid& grid) { return GridLayout(grid, AxisSet()); }

Family PairsAlong(const Grid& grid, size_t pipe) {
  return Family("p2p_pairs", RingLayout{.base = grid.offset(), .axis = grid.digits()[pipe], .count = grid.world()});
}

}  // namespace

int64_t DeepSpeedGrid::new_group_calls() const {
  return ds_model.count() + data_groups.count() + pipe_groups.count() + slice.count();
}

absl::StatusOr<DeepSpeedGrid> MakeDeepSpeedGrid(const DeepSpeedTopology& topology, int64_t world) {
  const Grid& grid = topology.grid();
  if (topology.world() != world || grid.order()) {
    std::vector<std::string> sizes;
    for (const std::string& axis : topology.axes()) sizes.push_back(absl::StrCat(axis, " ", topology.Dim(axis)));
    return Refuse("grid_product_equals_world",
                  absl::StrCat("axes: ", absl::StrJoin(sizes, " x "), " make ", topology.world(),
                               " ranks for a world of ", world, "; the product must be the world"));
  }
  for (absl::string_view needed : {"pipe", "data"}) {
    if (grid.Find(needed)) continue;
    return Refuse("axis_unknown", absl::StrCat("axes: a pipeline grid needs the axis '", needed, "'; there are ",
                                               absl::StrJoin(topology.axes(), ", ")));
  }
  const size_t pipe = *grid.Find("pipe");
  const size_t data = *grid.Find("data");
  const absl::optional<size_t> model = grid.Find("model");
  return DeepSpeedGrid{
      .pipe = topology.Dim("pipe"),
      .data = topology.Dim("data"),
      .model = std::max<int64_t>(topology.Dim("model"), 1),
      .ds_model = Family("ds_model", GridLayout(grid, ~AxisSet().set(data))),
      .data_groups = Family("data", GridLayout(grid, AxisSet().set(data))),
      .pipe_groups = Family("pipe", GridLayout(grid, AxisSet().set(pipe))),
      .slice = Family("slice", model ? GridLayout(grid, AxisSet().set(*model)) : Singletons(grid)),
      .p2p_pairs = PairsAlong(grid, pipe),
  };
}

Group StagesOf(const DeepSpeedTopology& topology, GlobalRank rank) {
  const Grid& grid = topology.grid();
  return grid.GroupOf(rank, grid.Select({"pipe"}));
}

}  // namespace muster::mesh
