#include "lib/mesh/mesh.h"

namespace muster::mesh {
namespace {

Coordinates CoordinatesIn(const Grid& grid, GlobalRank rank) {
  Coordinates coordinates;
  if (!grid.Contains(rank)) return coordinates;
  for (size_t i = 0; i < grid.axes().size(); ++i) {
    coordinates.push_back({grid.axes()[i].name, grid.Coordinate(rank, i), grid.size(i)});
  }
  return coordinates;
}

}  // namespace

const Family* Mesh::Find(absl::string_view name) const {
  for (const auto& [alias, family] : aliases_) {
    if (alias == name) name = family;
  }
  for (const Family& family : families_) {
    if (family.name() == name) return &family;
  }
  return nullptr;
}

Coordinates Mesh::DenseCoordinates(GlobalRank rank) const { return CoordinatesIn(dense_, rank); }

Coordinates Mesh::ExpertCoordinates(GlobalRank rank) const {
  return expert_ ? CoordinatesIn(*expert_, rank) : Coordinates();
}

}  // namespace muster::mesh
