#include "lib/gang/release.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::gang {
namespace {

constexpr int64_t kRanksPerWorldId = 256;

bool RankedByIndex(const std::vector<NodeRank>& ranks, const Gang& gang) {
  if (!SeatedByIndex(*gang.spec)) return false;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].value() != static_cast<int32_t>(i)) return false;
  }
  return true;
}

// Where node rank 0 listens. An address that the node's agent registered goes before one that the caller says.
void SetLeader(const Gang& gang, const v1::Placement& placement, const std::vector<NodeRank>& ranks,
               v1::Assignment& assignment) {
  const size_t leader = std::find(ranks.begin(), ranks.end(), NodeRank(0)) - ranks.begin();
  const Member& member = gang.members.at(PodIndex(static_cast<int32_t>(leader)));
  const std::string& registered = placement.ranks(0).address();
  assignment.set_leader_address(registered.empty() ? member.address : registered);
  const int32_t wished = gang.spec->launch().leader_port();
  assignment.set_leader_port(wished != 0                 ? wished
                             : member.reserved_port != 0 ? member.reserved_port
                                                         : kDefaultLeaderPort);
}

// What all assignments of the epoch have in common.
v1::Assignment Common(const Gang& gang, const v1::Placement& placement, const std::vector<NodeRank>& ranks,
                      Epoch epoch) {
  v1::Assignment assignment;
  const int32_t workers = std::max(gang.spec->workers_per_member(), 1);
  const int64_t world = int64_t{gang.spec->members()} * workers;
  assignment.set_format(1);
  assignment.set_job_uid(gang.uid.value());
  assignment.set_namespace_(gang.ns);
  assignment.set_job(gang.name);
  assignment.set_attempt(gang.attempt.value());
  assignment.set_epoch(epoch.value());
  assignment.set_ranked_by(RankedByIndex(ranks, gang) ? v1::Assignment::BY_INDEX : v1::Assignment::BY_TOPOLOGY);
  assignment.set_members(gang.spec->members());
  assignment.set_workers_per_member(workers);
  assignment.set_world(world);
  if (gang.spec->has_mesh()) *assignment.mutable_mesh() = gang.spec->mesh();
  SetLeader(gang, placement, ranks, assignment);
  assignment.set_receipt_id(gang.receipt.value());
  assignment.set_placement_digest(placement.digest());
  assignment.set_self_test_waived(gang.waived);
  assignment.set_world_ids(static_cast<int32_t>((world + kRanksPerWorldId - 1) / kRanksPerWorldId));
  return assignment;
}

absl::StatusOr<std::string> Bytes(const Gang& gang, v1::Assignment assignment) {
  if (gang.mesh != nullptr) {
    if (const absl::Status status = gang.mesh(assignment); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat("the mesh can't be laid over ", assignment.world(),
                                                      " workers: ", status.message()));
    }
  }
  return assignment.SerializeAsString();
}

}  // namespace

absl::StatusOr<ReleasedPtr> MakeReleased(const Gang& gang, const std::vector<NodeRank>& ranks, Epoch epoch) {
  const PlacementPtr placement = PlacementOf(gang.state);
  auto released = std::make_shared<Released>();
  released->epoch = epoch;
  released->attempt = gang.attempt;
  released->placement = placement;
  v1::Assignment assignment = Common(gang, *placement, ranks, epoch);
  for (const auto& [index, member] : gang.members) {
    const NodeRank rank = ranks[index.value()];
    assignment.set_pod_index(index.value());
    assignment.set_node_rank(rank.value());
    assignment.set_node(placement->ranks(rank.value()).node());
    Released::Member& bound = released->members[index];
    bound.rank = rank;
    bound.incarnation = *member.incarnation;
    for (const auto& [local, incarnation] : member.workers) {
      v1::Assignment own = assignment;
      own.set_local_rank(local);
      auto bytes = Bytes(gang, std::move(own));
      if (!bytes.ok()) return bytes.status();
      bound.workers.emplace(local, std::pair(incarnation, *std::move(bytes)));
    }
    if (!bound.workers.empty()) continue;
    auto bytes = Bytes(gang, assignment);
    if (!bytes.ok()) return bytes.status();
    bound.assignment = *std::move(bytes);
  }
  return released;
}

}  // namespace muster::gang
