#include "lib/placement/replicas.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/placement/unit_groups.h"

namespace muster::placement {
namespace {

constexpr char kAxis[] = "spec.placement.apart.axis";

struct AxisAt {
  const mesh::Grid* grid = nullptr;
  size_t axis = 0;
};

absl::StatusOr<AxisAt> FindAxis(const std::string& name, const mesh::Mesh& mesh) {
  std::vector<std::string> names;
  for (const mesh::Grid* grid : {&mesh.dense(), mesh.expert()}) {
    if (grid == nullptr) continue;
    if (const auto axis = grid->Find(name)) return AxisAt{grid, *axis};
    for (const mesh::Axis& axis : grid->axes()) names.push_back(axis.name);
  }
  const std::string nearest = NearestName(name, names);
  return FieldError(kAxis, absl::StrCat("the mesh has no axis \"", name.substr(0, 64), "\""),
                    absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "), "it has ",
                                 FewNames(names, 8)));
}

}  // namespace

absl::StatusOr<std::vector<int32_t>> ReplicasOf(const v1::JobSpec& spec, const mesh::Mesh* mesh, int32_t units,
                                                int64_t workers_per_unit) {
  const v1::PlacementSpec& wanted = spec.placement();
  const std::string& name = wanted.apart().axis();
  if (mesh == nullptr) return FieldError(kAxis, "the job has no mesh", "add spec.mesh, or remove it");
  if (wanted.slices_size() > 0 || wanted.per_domain_size() > 0) {
    return FieldError("spec.placement.apart", "it can't be kept together with slices or perDomain",
                      "ask for one of them");
  }
  const auto found = FindAxis(name, *mesh);
  if (!found.ok()) return found.status();
  if (mesh->world() > kMaxListedWorld) return TooLargeToList(name, mesh->world());
  if (mesh->world() != units * workers_per_unit) {
    return FieldError("spec.placement.apart", "the job's last node is not full",
                      "make members a multiple of membersPerNode");
  }
  std::vector<int32_t> replica(units, -1);
  for (int64_t worker = 0; worker < mesh->world(); ++worker) {
    const auto coordinate = static_cast<int32_t>(found->grid->Coordinate(mesh->first_rank() + worker, found->axis));
    int32_t& at = replica[worker / workers_per_unit];
    if (at >= 0 && at != coordinate) {
      return FieldError(kAxis,
                        absl::StrCat("node rank ", worker / workers_per_unit, " holds workers of ", name, " ", at,
                                     " and ", name, " ", coordinate, ", which can't be apart"),
                        "choose an axis that spans whole nodes only");
    }
    at = coordinate;
  }
  return replica;
}

}  // namespace muster::placement
