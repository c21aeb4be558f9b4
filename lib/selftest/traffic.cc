#include "lib/selftest/traffic.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "lib/mesh/digits.h"

namespace muster::selftest {
namespace {

using mesh::Family;
using Collectives = std::vector<v1::Collective>;

// What runs along an axis of this meaning. Names as the dialects have them.
struct Role {
  std::vector<const char*> names;
  Collectives collectives;
};

const std::vector<Role>& Roles() {
  static const auto* const kRoles = new std::vector<Role>{
      {{"tp", "model", "mp", "tensor", "tensor_parallel", "ep_tp"},
       {v1::ALL_REDUCE, v1::ALL_GATHER, v1::REDUCE_SCATTER}},
      {{"gtp_remat", "expt_gtp_remat"}, {v1::ALL_GATHER, v1::REDUCE_SCATTER}},
      {{"cp", "context", "context_parallel", "sp", "seq"}, {v1::ALL_GATHER, v1::RING_SEND_RECV}},
      {{"ep", "expert", "expert_parallel"}, {v1::ALL_TO_ALL}},
      {{"dp", "dp_cp", "data", "data_parallel", "dp_shard", "fsdp", "ep_dp", "edp"},
       {v1::REDUCE_SCATTER, v1::ALL_GATHER}},
      {{"dp_replicate", "replicate"}, {v1::ALL_REDUCE}},
      {{"pp", "pipe", "pipeline", "pipeline_parallel"}, {v1::SEND_RECV}},
  };
  return *kRoles;
}

// Digits that continue each other (cp with dp) write the same members as one digit (ep_dp's).
bool SameMembers(const mesh::Group& a, const mesh::Group& b) {
  if (a.order != b.order) return a == b;
  return a.base == b.base && mesh::Joined(a.digits) == mesh::Joined(b.digits);
}

bool SameGroups(const Family& a, const Family& b) {
  if (a.count() != b.count() || a.max_size() != b.max_size()) return false;
  for (int64_t i = 0; i < a.count(); ++i) {
    if (!SameMembers(a.group(i), b.group(i))) return false;
  }
  return true;
}

class Collector {
 public:
  explicit Collector(const mesh::Mesh& mesh) : mesh_(mesh) {}

  void Add(absl::string_view name, const Collectives& wanted) {
    const Family* family = mesh_.Find(name);
    // A ring family's pairs overlap: no step could run all of them at once.
    if (family == nullptr || std::holds_alternative<mesh::RingLayout>(family->layout())) return;
    if (family->max_size() < 2 || !seen_.insert(family).second) return;
    Collectives left;
    for (v1::Collective c : wanted) {
      const bool covered = std::any_of(traffic_.begin(), traffic_.end(), [&](const FamilyTraffic& t) {
        return std::find(t.collectives.begin(), t.collectives.end(), c) != t.collectives.end() &&
               SameGroups(*t.family, *family);
      });
      if (!covered) left.push_back(c);
    }
    if (!left.empty()) traffic_.push_back({family, std::move(left)});
  }

  void Exclude(absl::string_view name) {
    if (const Family* family = mesh_.Find(name)) seen_.insert(family);
  }

  std::vector<FamilyTraffic> Take() && { return std::move(traffic_); }

 private:
  const mesh::Mesh& mesh_;
  std::set<const Family*> seen_;
  std::vector<FamilyTraffic> traffic_;
};

}  // namespace

std::vector<FamilyTraffic> TrafficOf(const mesh::Mesh& mesh) {
  Collector collector(mesh);
  const bool megatron = mesh.dialect() == "megatron";
  // Megatron's mp is tensor × pipeline, which no collective of a step crosses; elsewhere the name means tensor.
  if (megatron) collector.Exclude("mp");
  const Family* dp = mesh.Find("dp");
  const Family* dp_cp = mesh.Find("dp_cp");
  if (dp != nullptr && dp_cp != nullptr && dp_cp->max_size() > dp->max_size()) collector.Exclude("dp");
  for (const Role& role : Roles()) {
    for (const char* name : role.names) collector.Add(name, role.collectives);
  }
  if (!megatron) {
    std::set<std::string> known;
    for (const Role& role : Roles()) known.insert(role.names.begin(), role.names.end());
    for (const mesh::Axis& axis : mesh.dense().axes()) {
      if (known.count(axis.name) == 0) collector.Add(axis.name, {v1::ALL_REDUCE, v1::RING_SEND_RECV});
    }
  }
  return std::move(collector).Take();
}

}  // namespace muster::selftest
