#pragma once
// NeMo-RL's NamedSharding: workers laid over named axes, outermost first, by any permutation or sparse choice of their
// ids. Source: nemo_rl/distributed/named_sharding.py.

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
#include "lib/mesh/rank_array.h"

namespace muster::mesh {

// Immutable, copied freely.
class NamedSharding {
 public:
  // Workers 0, 1, 2 ... row-major over `shape`. Refused: "names_match_ndim", "axis_names_invalid" (careful: an empty or
  // repeated name; upstream lets the last axis of a name hide the others), and what Grid::Create refuses.
  static absl::StatusOr<NamedSharding> OfShape(std::vector<std::string> names, const std::vector<int64_t>& shape,
                                               Compat compat);
  // Workers as listed. Refused also: "ranks_unique".
  static absl::StatusOr<NamedSharding> OfLayout(std::vector<std::string> names, RankArray layout, Compat compat);

  absl::Span<const std::string> names() const { return names_; }
  std::vector<int64_t> shape() const;
  int64_t size() const { return grid_.world(); }
  // The same axes fastest first, as all of lib/mesh lists them.
  const Grid& grid() const { return grid_; }

  // Place of the axis in names(). Refused: "axis_unknown".
  absl::StatusOr<size_t> AxisIndex(absl::string_view name) const;
  absl::StatusOr<int64_t> AxisSize(absl::string_view name) const;
  // One an axis, outermost first. Refused: "worker_unknown".
  absl::StatusOr<std::vector<int64_t>> Coordinates(int64_t worker) const;

  using Where = std::map<std::string, int64_t>;
  // The workers at these indices, the remaining axes row-major. Refused: "axis_unknown", "index_out_of_range".
  absl::StatusOr<Group> Ranks(const Where& where) const;
  // The same, ascending; empty for an index outside its axis. Refused: "axis_unknown".
  absl::StatusOr<std::vector<int64_t>> RanksByCoordinate(const Where& where) const;
  // Group i holds the workers at index i of the axis, the remaining axes row-major. Refused: "axis_unknown".
  absl::StatusOr<Family> Slices(absl::string_view name) const;
  // The groups along one axis: all other coordinates equal. Refused: "axis_unknown".
  absl::StatusOr<Family> Along(absl::string_view name) const;

  // Whether the worker has coordinate 0 on each of `axes`; axes that the layout lacks count as 0. Refused:
  // "worker_unknown".
  absl::StatusOr<bool> IsLeader(int64_t worker, absl::Span<const absl::string_view> axes) const;

 private:
  static absl::StatusOr<NamedSharding> Create(std::vector<std::string> names, const std::vector<int64_t>& shape,
                                              std::shared_ptr<const RankOrder> order, Compat compat);
  // Place of the axis in grid(); with a repeated name (upstream) the last one.
  absl::optional<size_t> Find(absl::string_view name) const;
  absl::Status UnknownAxis(absl::string_view name) const;

  std::vector<std::string> names_;
  Grid grid_;
};

// The axes over which a leader has coordinate 0: every worker along them holds the same data.
inline constexpr absl::string_view kLeaderAxes[] = {"tensor_parallel", "context_parallel", "pipeline_parallel"};

}  // namespace muster::mesh
