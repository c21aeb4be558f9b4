#include "lib/mesh/torch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/mesh/device_mesh.h"
#include "lib/mesh/mesh_builder.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::StatusOr<DeviceMesh> DeviceMeshOf(const TorchSpec& spec, int64_t world) {
  if (world < 1) return Refuse("world_out_of_range", absl::StrCat("world: ", world, " is not at least 1"));
  std::vector<std::string> names;
  std::vector<int64_t> shape;
  const bool named = std::any_of(spec.dims.begin(), spec.dims.end(), [](const Axis& dim) { return !dim.name.empty(); });
  for (const Axis& dim : spec.dims) {
    if (named) names.push_back(dim.name);
    shape.push_back(dim.size);
  }
  if (spec.ranks.empty()) return DeviceMesh::Init("", shape, std::move(names), world);
  return DeviceMesh::OfRanks(RankArray{std::move(shape), spec.ranks}, std::move(names), world);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Mesh>> MakeTorchMesh(const TorchSpec& spec, Compat compat, int64_t world) {
  absl::StatusOr<DeviceMesh> mesh = DeviceMeshOf(spec, world);
  if (!mesh.ok()) return mesh.status();
  MeshBuilder builder("torch", world, mesh->grid());
  for (size_t dim = 0; dim < mesh->ndim(); ++dim) builder.Add(mesh->Along(dim, spec.group_order));
  std::vector<std::string> flat_names;
  for (const FlattenedDim& flat : spec.flattened) {
    absl::StatusOr<Family> family = mesh->Flatten(flat.dims, flat.name);
    if (!family.ok()) return family.status();
    const std::string name(family->name());
    const bool known = std::find(mesh->names().begin(), mesh->names().end(), name) != mesh->names().end() ||
                       std::find(flat_names.begin(), flat_names.end(), name) != flat_names.end();
    if (known) continue;  // asked for again, or one dimension as itself: upstream creates nothing
    flat_names.push_back(name);
    builder.Add(*std::move(family));
  }
  if (compat == Compat::kCareful && mesh->size() < world) {
    builder.Note(absl::StrCat(world - mesh->size(), " of ", world,
                              " workers are outside the mesh: they have no coordinates and join no group"));
  }
  return std::move(builder).Build();
}

}  // namespace muster::mesh
