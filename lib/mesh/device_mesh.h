#pragma once
// PyTorch's DeviceMesh: ranks as an N-dimensional array, a group along each dimension, slices and flattened dimensions.
// Sources: torch/distributed/device_mesh.py (older group order, refusals), _mesh_layout.py (newer group order).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/rank_array.h"
#include "lib/mesh/torch_spec.h"

namespace muster::mesh {

// Copied freely; only Flatten changes it.
class DeviceMesh {
 public:
  // init_device_mesh: ranks 0..N-1 row-major; names empty for none; world < 0: N. Refused, in this order:
  // "dim_names_unique", "names_match_shape", "device_type_letters_only", what Grid::Create refuses,
  // "mesh_not_bigger_than_world".
  static absl::StatusOr<DeviceMesh> Init(absl::string_view device_type, const std::vector<int64_t>& shape,
                                         std::vector<std::string> names, int64_t world = -1);
  // An explicit mesh tensor, of any permutation or part of the world; world < 0: what holds all its ranks. Refused as
  // by Init, and "ranks_unique", "rank_out_of_range".
  static absl::StatusOr<DeviceMesh> OfRanks(RankArray mesh, std::vector<std::string> names, int64_t world = -1);

  int64_t size() const { return grid_.world(); }
  int64_t world() const { return world_; }
  size_t ndim() const { return grid_.axes().size(); }
  bool has_names() const { return has_names_; }
  // Outermost first; "0", "1", ... where the dimensions have no names.
  const std::vector<std::string>& names() const { return names_; }
  // The same dimensions fastest first, as all of lib/mesh lists them.
  const Grid& grid() const { return grid_; }
  // Ranks between neighbours on a dimension; of a plain mesh only.
  int64_t stride(size_t dim) const { return grid_.stride(AxisOf(dim)); }
  int64_t size(size_t dim) const { return grid_.size(AxisOf(dim)); }

  // One a dimension, outermost first; nullopt for a rank outside the mesh.
  absl::optional<std::vector<int64_t>> Coordinate(GlobalRank rank) const;

  // The groups along one dimension.
  Family Along(size_t dim, GroupOrder order) const;
  // get_group: by name, also of a flattened dimension; nullopt: the only one. Refused: "dim_needed_for_nd_mesh",
  // "dim_name_unknown".
  absl::StatusOr<Family> GroupsOf(absl::optional<absl::string_view> name, GroupOrder order) const;

  // mesh[names]: group i is the i-th submesh, members row-major over the names. Refused: "slice_needs_names",
  // "dim_name_unknown", "slice_dims_ascending".
  absl::StatusOr<Family> Slice(absl::Span<const std::string> names) const;
  bool IsWholeMesh(absl::Span<const std::string> names) const { return has_names_ && names == names_; }

  // mesh[dims]._flatten(name): one more dimension, by `name` (empty: the dims joined by '_'). Again with the same dims:
  // the same. Refused as Slice, and "flat_name_taken" (a dimension has it), "flat_name_reused" (other dims have it).
  absl::StatusOr<Family> Flatten(absl::Span<const std::string> dims, std::string name = "");

  // Whether upstream takes its default group for a dimension instead of creating one. Older: a one-dimensional mesh
  // over the whole world; newer: any dimension that covers it.
  bool ReusesDefaultGroup(size_t dim, GroupOrder order) const;

 private:
  static absl::StatusOr<DeviceMesh> Create(std::vector<int64_t> shape, std::vector<std::string> names,
                                           std::shared_ptr<const RankOrder> order);
  size_t AxisOf(size_t dim) const { return names_.size() - 1 - dim; }
  absl::optional<size_t> FindDim(absl::string_view name) const;
  // The dims of a slice, by place.
  absl::StatusOr<std::vector<size_t>> DimsOf(absl::Span<const std::string> names) const;

  int64_t world_ = 1;
  bool has_names_ = false;
  std::vector<std::string> names_;
  Grid grid_;
  // Name and places of the dims, in order of creation.
  std::vector<std::pair<std::string, std::vector<size_t>>> flattened_;
};

}  // namespace muster::mesh
