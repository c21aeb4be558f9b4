#include "client/worker/environment.h"

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/worker/groups.h"

namespace muster::worker {
namespace {

using Json = nlohmann::ordered_json;

std::string CoordinatesJson(const google::protobuf::RepeatedPtrField<v1::AxisShape>& axes,
                            const v1::Assignment& assignment, int64_t rank) {
  const auto& permutation = assignment.mesh().permutation();
  int64_t position = rank;
  if (!permutation.empty()) {
    position = std::find(permutation.begin(), permutation.end(), rank) - permutation.begin();
    if (position == permutation.size()) return "{}";  // a rank outside the mesh has no coordinates
  }
  Json out = Json::object();
  for (const v1::AxisShape& axis : axes) out[axis.axis()] = position / axis.stride() % axis.size();
  return out.dump();
}

std::string GroupsJson(const v1::Assignment& assignment, int32_t local_rank) {
  Json out = Json::object();
  for (const v1::FamilyShape& family : assignment.families()) {
    const std::optional<GroupView> group = GroupOf(assignment, family, local_rank);
    if (!group) continue;
    Json& entry = out[family.name()];
    entry["rank"] = group->position;
    entry["size"] = group->size;
    // Long lists belong to those who ask for them: base and strides say the same.
    if (group->size <= 64) {
      entry["members"] = group->members;
    } else {
      entry["base"] = group->members.front();
      entry["strides"] = std::vector<int64_t>(family.strides().begin(), family.strides().end());
      entry["sizes"] = std::vector<int64_t>(family.sizes().begin(), family.sizes().end());
    }
  }
  return out.dump();
}

// What both forms share.
Environment Common(const v1::Assignment& a, const Endpoint& endpoint) {
  const std::string port = absl::StrCat(a.leader_port());
  const std::string members = absl::StrCat(a.members()), workers = absl::StrCat(a.workers_per_member());
  const std::string node_rank = absl::StrCat(a.node_rank());
  return {
      {"WORLD_SIZE", absl::StrCat(a.world())},
      {"LOCAL_WORLD_SIZE", workers},
      {"GROUP_RANK", node_rank},
      {"NODE_RANK", node_rank},
      {"MASTER_ADDR", a.leader_address()},
      {"MASTER_PORT", port},
      {"PET_NNODES", members},
      {"PET_NPROC_PER_NODE", workers},
      {"PET_NODE_RANK", node_rank},
      {"PET_MASTER_ADDR", a.leader_address()},
      {"PET_MASTER_PORT", port},
      {"JAX_COORDINATOR_ADDRESS", absl::StrCat(a.leader_address(), ":", port)},
      {"MUSTER_SERVER", endpoint.server},
      {"MUSTER_JOB", absl::StrCat(a.namespace_(), "/", a.job())},
      {"MUSTER_JOB_UID", a.job_uid()},
      {"MUSTER_ATTEMPT", absl::StrCat(a.attempt())},
      {"MUSTER_EPOCH", absl::StrCat(a.epoch())},
      {"MUSTER_POD_INDEX", absl::StrCat(a.pod_index())},
      {"MUSTER_NODE_RANK", node_rank},
      {"MUSTER_NODE", a.node()},
      {"MUSTER_RECEIPT", a.receipt_id()},
      {"MUSTER_PLACEMENT_DIGEST", a.placement_digest()},
      {"MUSTER_WORLD_IDS", absl::StrCat(a.world_ids())},
  };
}

}  // namespace

Environment WorkerEnvironment(const v1::Assignment& a, int32_t local_rank, const Endpoint& endpoint) {
  const int64_t rank = GlobalRank(a, local_rank);
  Environment env = Common(a, endpoint);
  env["RANK"] = absl::StrCat(rank);
  env["LOCAL_RANK"] = absl::StrCat(local_rank);
  env["JAX_NUM_PROCESSES"] = absl::StrCat(a.world());
  env["JAX_PROCESS_ID"] = absl::StrCat(rank);
  env["JAX_LOCAL_DEVICE_IDS"] = absl::StrCat(local_rank);
  env["MUSTER_GLOBAL_RANK"] = absl::StrCat(rank);
  env["MUSTER_COORDINATES"] = CoordinatesJson(a.dense_axes(), a, rank);
  if (a.expert_axes_size() > 0) env["MUSTER_EXPERT_COORDINATES"] = CoordinatesJson(a.expert_axes(), a, rank);
  env["MUSTER_GROUPS"] = GroupsJson(a, local_rank);
  return env;
}

Environment MemberEnvironment(const v1::Assignment& a, const Endpoint& endpoint) {
  Environment env = Common(a, endpoint);
  env["JAX_NUM_PROCESSES"] = absl::StrCat(a.members());
  env["JAX_PROCESS_ID"] = absl::StrCat(a.node_rank());
  return env;
}

}  // namespace muster::worker
