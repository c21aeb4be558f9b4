#include "lib/mesh/device_mesh.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::Status CheckNames(const std::vector<std::string>& names, size_t dimensions) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      return Refuse("axis_names_invalid", absl::StrCat("names[", i, "]: is empty; name all or none"));
    const auto first = std::find(names.begin(), names.begin() + i, names[i]);
    if (first == names.begin() + i) continue;
    return Refuse("dim_names_unique", absl::StrCat("names[", i, "]: '", names[i], "' is already names[",
                                                   first - names.begin(), "]; name each dimension once"));
  }
  if (!names.empty() && names.size() != dimensions) {
    return Refuse("names_match_shape", absl::StrCat("names: ", names.size(), " (", absl::StrJoin(names, ", "), ") for ",
                                                    dimensions, " dimensions; give each dimension one name"));
  }
  return absl::OkStatus();
}

absl::Status CheckWorld(int64_t size, int64_t world) {
  if (size <= world) return absl::OkStatus();
  return Refuse("mesh_not_bigger_than_world",
                absl::StrCat("shape: ", size, " ranks are more than the world of ", world, " workers"));
}

}  // namespace

absl::StatusOr<DeviceMesh> DeviceMesh::Init(absl::string_view device_type, const std::vector<int64_t>& shape,
                                            std::vector<std::string> names, int64_t world) {
  if (absl::Status status = CheckNames(names, shape.size()); !status.ok()) return status;
  if (!std::all_of(device_type.begin(), device_type.end(), [](unsigned char c) { return absl::ascii_isalpha(c); })) {
    return Refuse("device_type_letters_only",
                  absl::StrCat("device_type: '", device_type,
                               "' may hold letters only; leave an index out, each worker has its own"));
  }
  absl::StatusOr<DeviceMesh> mesh = Create(shape, std::move(names), nullptr);
  if (!mesh.ok()) return mesh.status();
  mesh->world_ = world < 0 ? mesh->size() : world;
  if (absl::Status status = CheckWorld(mesh->size(), mesh->world_); !status.ok()) return status;
  return mesh;
}

absl::StatusOr<DeviceMesh> DeviceMesh::OfRanks(RankArray ranks, std::vector<std::string> names, int64_t world) {
  if (absl::Status status = CheckNames(names, ranks.shape.size()); !status.ok()) return status;
  const int64_t size = static_cast<int64_t>(ranks.ranks.size());
  const int64_t largest = size == 0 ? 0 : *std::max_element(ranks.ranks.begin(), ranks.ranks.end());
  absl::StatusOr<std::shared_ptr<const RankOrder>> order = RankOrder::OfRanks(std::move(ranks.ranks));
  if (!order.ok()) return Refuse("ranks_unique", absl::StrCat("mesh: ", order.status().message()));
  absl::StatusOr<DeviceMesh> mesh = Create(ranks.shape, std::move(names), *std::move(order));
  if (!mesh.ok()) return mesh.status();
  mesh->world_ = world < 0 ? largest + 1 : world;
  if (absl::Status status = CheckWorld(size, mesh->world_); !status.ok()) return status;
  if (largest >= mesh->world_) {
    return Refuse("rank_out_of_range", absl::StrCat("mesh: rank ", largest, " is not within 0..", mesh->world_ - 1));
  }
  return mesh;
}

absl::StatusOr<DeviceMesh> DeviceMesh::Create(std::vector<int64_t> shape, std::vector<std::string> names,
                                              std::shared_ptr<const RankOrder> order) {
  DeviceMesh mesh;
  mesh.has_names_ = !names.empty();
  mesh.names_ = std::move(names);
  for (size_t i = mesh.names_.size(); i < shape.size(); ++i) mesh.names_.push_back(absl::StrCat(i));
  std::vector<Axis> fastest_first;
  for (size_t i = shape.size(); i-- > 0;) fastest_first.push_back({mesh.names_[i], shape[i]});
  absl::StatusOr<Grid> grid = Grid::Create(std::move(fastest_first), 0, std::move(order));
  if (!grid.ok()) return grid.status();
  mesh.grid_ = *std::move(grid);
  return mesh;
}

absl::optional<std::vector<int64_t>> DeviceMesh::Coordinate(GlobalRank rank) const {
  if (!grid_.Contains(rank)) return absl::nullopt;
  std::vector<int64_t> coordinates;
  for (size_t dim = 0; dim < ndim(); ++dim) coordinates.push_back(grid_.Coordinate(rank, AxisOf(dim)));
  return coordinates;
}

Family DeviceMesh::Along(size_t dim, GroupOrder order) const {
  StridedLayout layout = GridLayout(grid_, AxisSet().set(AxisOf(dim)));
  if (order == GroupOrder::kSwapDims) {
    // The last dimension stands at the place of `dim`; the rest is row-major, so fastest is the last but one.
    layout.outer.clear();
    for (size_t place = ndim() - 1; place-- > 0;) {
      layout.outer.push_back(grid_.digits()[AxisOf(place == dim ? ndim() - 1 : place)]);
    }
    layout.outer = Trimmed(layout.outer);
  }
  return Family(names_[dim], std::move(layout));
}

absl::optional<size_t> DeviceMesh::FindDim(absl::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (!has_names_ || found == names_.end()) return absl::nullopt;
  return found - names_.begin();
}

absl::StatusOr<Family> DeviceMesh::GroupsOf(absl::optional<absl::string_view> name, GroupOrder order) const {
  if (!name) {
    if (ndim() == 1) return Along(0, order);
    return Refuse("dim_needed_for_nd_mesh", absl::StrCat("dim: is needed, as the mesh has ", ndim(), " dimensions (",
                                                         absl::StrJoin(names_, ", "), ")"));
  }
  if (const absl::optional<size_t> dim = FindDim(*name)) return Along(*dim, order);
  for (const auto& [flat_name, dims] : flattened_) {
    if (flat_name == *name) return Slice({std::string(*name)});
  }
  return Refuse("dim_name_unknown",
                absl::StrCat("dim: '", *name, "' is not a dimension here; there are ", absl::StrJoin(names_, ", ")));
}

absl::StatusOr<std::vector<size_t>> DeviceMesh::DimsOf(absl::Span<const std::string> names) const {
  if (!has_names_)
    return Refuse("slice_needs_names", "names: a mesh without dimension names can't be sliced; name them");
  std::vector<std::vector<size_t>> parts;
  for (const std::string& name : names) {
    const auto flattened =
        std::find_if(flattened_.begin(), flattened_.end(), [&](const auto& entry) { return entry.first == name; });
    if (flattened != flattened_.end()) {
      parts.push_back(flattened->second);
    } else if (const absl::optional<size_t> dim = FindDim(name)) {
      parts.push_back({*dim});
    } else {
      return Refuse("dim_name_unknown", absl::StrCat("names: '", name, "' is not a dimension here; there are ",
                                                     absl::StrJoin(names_, ", ")));
    }
  }
  std::vector<size_t> dims;
  for (const std::vector<size_t>& part : parts) {
    // Of a flattened dimension its last one counts, and it may not overlap its neighbours either.
    if (!dims.empty() && part.front() <= dims.back()) {
      return Refuse("slice_dims_ascending",
                    absl::StrCat("names: ", absl::StrJoin(names, ", "), " are not in the order of the mesh, ",
                                 absl::StrJoin(names_, ", ")));
    }
    dims.insert(dims.end(), part.begin(), part.end());
  }
  return dims;
}

absl::StatusOr<Family> DeviceMesh::Slice(absl::Span<const std::string> names) const {
  const absl::StatusOr<std::vector<size_t>> dims = DimsOf(names);
  if (!dims.ok()) return dims.status();
  AxisSet axes;
  for (size_t dim : *dims) axes.set(AxisOf(dim));
  return Family(absl::StrJoin(names, "_"), GridLayout(grid_, axes));
}

absl::StatusOr<Family> DeviceMesh::Flatten(absl::Span<const std::string> dims, std::string name) {
  const absl::StatusOr<std::vector<size_t>> places = DimsOf(dims);
  if (!places.ok()) return places.status();
  if (name.empty()) name = absl::StrJoin(dims, "_");
  absl::StatusOr<Family> sliced = Slice(dims);
  if (!sliced.ok()) return sliced.status();
  if (dims.size() == 1 && dims[0] == name) return sliced;  // a dimension flattened into itself
  if (FindDim(name)) {
    return Refuse("flat_name_taken",
                  absl::StrCat("flat_name: '", name, "' is a dimension of the mesh; choose another name"));
  }
  for (const auto& [flat_name, flat_dims] : flattened_) {
    if (flat_name != name || flat_dims == *places) continue;
    return Refuse("flat_name_reused",
                  absl::StrCat("flat_name: '", name, "' already stands for other dimensions; choose another name"));
  }
  const std::pair<std::string, std::vector<size_t>> entry(name, *places);
  if (std::find(flattened_.begin(), flattened_.end(), entry) == flattened_.end()) flattened_.push_back(entry);
  return Family(std::move(name), sliced->layout());
}

bool DeviceMesh::ReusesDefaultGroup(size_t dim, GroupOrder order) const {
  return size(dim) == world_ && (order == GroupOrder::kComplement || ndim() == 1);
}

}  // namespace muster::mesh
