#pragma once
// DeepSpeed's ProcessTopology: named axes over ranks, row-major, the last axis fastest (the reverse of Megatron's order
// string). Source: deepspeed/runtime/pipe/topology.py.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/group.h"

namespace muster::mesh {

// Immutable, copied freely. All calls are O(axes).
class DeepSpeedTopology {
 public:
  // Refused: "axis_names_invalid" (no Python identifier, a keyword, a leading underscore, a repeated name),
  // "axes_dims_mismatch" (a size missing or, careful, too many: upstream lets each rank overwrite the one before it, so
  // that only the last of a row remains), and what Grid::Create refuses.
  static absl::StatusOr<DeepSpeedTopology> Create(std::vector<std::string> axes, std::vector<int64_t> dims,
                                                  Compat compat);
  static absl::StatusOr<DeepSpeedTopology> PipeModelData(int64_t num_pp, int64_t num_mp, int64_t num_dp);
  static absl::StatusOr<DeepSpeedTopology> PipeData(int64_t num_pp, int64_t num_dp);
  // The topology that a grid without one gets: prime factors, ascending, alternate between pipe and data. Refused:
  // "world_out_of_range" outside 1..2^40 (the factors are found by trial division).
  static absl::StatusOr<DeepSpeedTopology> Default(int64_t world);

  int64_t world() const { return grid_.world(); }
  // Outermost first.
  absl::Span<const std::string> axes() const { return axes_; }
  // The same axes fastest first, as all of lib/mesh lists them.
  const Grid& grid() const { return grid_; }
  // 0 for an axis that it lacks.
  int64_t Dim(absl::string_view axis) const;

  using Where = std::map<std::string, int64_t>;
  // Refused: "get_rank_needs_all_axes", "axis_unknown", "coordinate_out_of_range".
  absl::StatusOr<GlobalRank> RankAt(const Where& where) const;
  // One an axis, outermost first. Refused: "rank_out_of_range".
  absl::StatusOr<std::vector<int64_t>> Coordinates(GlobalRank rank) const;
  // axis_NN joined by '-', for the axes not in `omit`. Refused: "rank_out_of_range".
  absl::StatusOr<std::string> RankText(GlobalRank rank, absl::Span<const absl::string_view> omit) const;

  // The groups along `axis`, the other axes' combinations row-major; nullopt for an axis that it lacks (no groups).
  absl::optional<Family> CommLists(absl::string_view axis) const;
  // Group i holds the ranks whose coordinate on `axis` is i. Refused: "axis_unknown".
  absl::StatusOr<Family> AxisLists(absl::string_view axis) const;
  // The ranks with these coordinates, ascending; nullopt if there are none. Refused: "axis_unknown".
  absl::StatusOr<absl::optional<Group>> FilterMatch(const Where& where) const;

 private:
  absl::Status UnknownAxis(absl::string_view axis) const;
  // The axis's place in grid(), which is the reverse of axes().
  absl::optional<size_t> Find(absl::string_view axis) const { return grid_.Find(axis); }

  std::vector<std::string> axes_;
  Grid grid_;
};

}  // namespace muster::mesh
