#include "lib/mesh/megatron_lane.h"

#include "absl/strings/string_view.h"
#include "lib/mesh/family.h"

namespace muster::mesh {
namespace {

absl::optional<Lane> LaneIn(const Mesh& mesh, absl::string_view name, GlobalRank rank) {
  const Family* family = mesh.dialect() == "megatron" ? mesh.Find(name) : nullptr;
  if (family == nullptr) return absl::nullopt;
  const absl::optional<Membership> found = family->GroupOf(rank);
  if (!found) return absl::nullopt;
  return Lane{found->group_rank, found->group.size()};
}

}  // namespace

absl::optional<Lane> DataParallelLane(const Mesh& mesh, GlobalRank rank) {
  const absl::optional<Lane> lane = LaneIn(mesh, "gtp_remat_dp", rank);
  return lane ? lane : LaneIn(mesh, "dp", rank);  // revisions before gtp
}

absl::optional<Lane> ReplicaLane(const Mesh& mesh, GlobalRank rank) { return LaneIn(mesh, "dp", rank); }

}  // namespace muster::mesh
