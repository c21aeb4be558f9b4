// nvidia-resiliency-ext's ranks of nodes in segments, against lib/placement: a segment is a slice of the job in one
// domain, its infrastructure rank the node's name, so that natural order is the order of those ranks.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/job/validate.h"
#include "lib/placement/place.h"
#include "lib/placement/request.h"
#include "lib/topology/natural_order.h"
#include "tests/conformance/peers.h"

namespace muster::conformance {
namespace {

constexpr char kNaturalNames[] = "names are counted, not spelled: n9 before n10";
constexpr char kFewestDomains[] = "nodes come from the fewest and tightest domains, not from the first ones";

struct Member {
  std::string id;
  std::string name;  // in Muster
  std::string domain;
  bool whole = true;  // not of an incomplete replacement group
};

std::vector<Member> MembersOf(const Json& input) {
  const Json& nodes = input.at("nodes");
  const bool by_infra = std::all_of(nodes.begin(), nodes.end(), [](const Json& n) { return n.at("infra_rank") >= 0; });
  std::map<std::string, int64_t> lowest;  // of each domain
  std::map<std::string, int64_t> group_size;
  for (const Json& node : nodes) {
    const std::string domain = node.at("domain").is_string() ? node.at("domain").get<std::string>() : "";
    const int64_t rank = node.at("infra_rank");
    const auto [at, added] = lowest.emplace(domain, rank);
    if (!added) at->second = std::min(at->second, rank);
    if (node.at("replacement_group").is_string()) ++group_size[node.at("replacement_group")];
  }
  std::vector<Member> members;
  for (const Json& node : nodes) {
    const std::string domain = node.at("domain").is_string() ? node.at("domain").get<std::string>() : "";
    Member member;
    member.id = node.at("id");
    member.name = by_infra ? absl::StrCat(node.at("infra_rank").get<int64_t>()) : member.id;
    if (!domain.empty()) member.domain = by_infra ? absl::StrCat(lowest[domain]) : domain;
    if (input.at("replacement_group_size").is_number()) {
      const Json& group = node.at("replacement_group");
      member.whole = group.is_string() && group_size[group] >= input.at("replacement_group_size").get<int64_t>();
    }
    members.push_back(std::move(member));
  }
  return members;
}

struct Answer {
  std::string error;
  std::vector<std::string> order = {};  // ids: active ones by rank, then the standby ones
  size_t active = 0;
};

v1::JobSpec SpecOf(const Json& input) {
  v1::JobSpec spec;
  spec.set_members(input.at("world_nodes").get<int32_t>());
  spec.set_workers_per_member(1);
  if (input.at("segment").is_number()) {
    v1::PlacementSpec::Slice& slice = *spec.mutable_placement()->add_slices();
    slice.set_size(input.at("segment").get<int32_t>());
    slice.set_tier("domain");
  }
  return spec;
}

absl::StatusOr<placement::Cluster> ClusterOf(const std::vector<Member>& members) {
  std::vector<v1::Node> nodes;
  for (const Member& member : members) {
    v1::Node& node = nodes.emplace_back();
    node.mutable_info()->set_name(member.name);
    (*node.mutable_info()->mutable_capacity())["gpu"] = 1;
    if (!member.domain.empty()) (*node.mutable_info()->mutable_labels())["domain"] = member.domain;
    if (!member.whole) node.set_condition(v1::DRAINING);
  }
  return placement::MakeCluster(*Tiers::FromLabels({"domain"}), nodes);
}

Answer Solve(const Json& input) {
  Answer answer;
  const v1::JobSpec spec = SpecOf(input);
  if (!ValidateJob("default", "peer", spec).ok()) return {.error = "world_not_divisible_by_segment"};
  if (!input.contains("nodes")) return answer;
  const std::vector<Member> members = MembersOf(input);
  const auto cluster = ClusterOf(members);
  // Infrastructure ranks are names here, and names are unique.
  if (!cluster.ok()) return {.error = "duplicate_infra_rank"};
  const auto request = placement::RequestOf("default/peer", spec, nullptr);
  const placement::Decision decision = placement::Place(*request, *cluster);
  const auto* placed = std::get_if<placement::Placed>(&decision);
  if (placed == nullptr) {
    const bool homeless = std::any_of(members.begin(), members.end(), [](const Member& m) { return m.domain.empty(); });
    return {.error = homeless ? "domain_missing" : "insufficient_segments"};
  }
  std::map<std::string, std::string> id_of;
  for (const Member& member : members) id_of[member.name] = member.id;
  std::set<NodeIndex> used;
  for (const NodeIndex unit : placed->units) {
    answer.order.push_back(id_of[cluster->topology->node(unit).name]);
    used.insert(unit);
  }
  answer.active = answer.order.size();
  // The others stand by in the order of the tree, those of incomplete groups last.
  for (const bool ok : {true, false}) {
    for (const NodeIndex node : cluster->topology->tree_order()) {
      if (used.count(node) == 0 && cluster->state_of(node).ok == ok) {
        answer.order.push_back(id_of[cluster->topology->node(node).name]);
      }
    }
  }
  return answer;
}

// Whether the nodes go by name, and the answer's order is the natural one.
bool NaturallyOrdered(const Json& input, const Answer& answer) {
  const Json& nodes = input.at("nodes");
  const bool by_name = std::any_of(nodes.begin(), nodes.end(), [](const Json& n) { return n.at("infra_rank") < 0; });
  return by_name && std::is_sorted(answer.order.begin(), answer.order.end(), NaturalLess());
}

}  // namespace

void CheckNvrxRanks(const Json& peer_case, const std::string&, PeerCase& result) {
  const std::string kind = peer_case.at("kind");
  if (kind != "segment_ranks" && kind != "segment_feasible" && kind != "segment_config") {
    result.out_of_scope = absl::StrCat("no job field offers \"", kind, "\"");
    return;
  }
  Json input = peer_case.at("input");
  if (!input.contains("replacement_group_size")) input["replacement_group_size"] = Json();
  const Answer answer = Solve(input);
  const Json& expected = peer_case.at("expected");
  for (const Json& word : peer_case.at("must")) {
    if (word == "ok") {
      // Whether the world may close is no error.
      if (kind != "segment_feasible") result.differences.Expect("ok", expected.at("ok"), answer.error.empty());
    } else if (word == "error") {
      result.differences.Expect("error", expected.at("error"), answer.error);
    } else if (word == "can_close") {
      result.differences.Expect("can_close", expected.at("can_close"), answer.error.empty());
    } else if (word == "active_count") {
      result.differences.Expect("active_count", expected.at("active").size(), answer.active);
    } else if (word == "standby_count") {
      result.differences.Expect("standby_count", expected.at("standby").size(), answer.order.size() - answer.active);
    } else if (word == "active_set") {
      std::set<std::string> distinct(answer.order.begin(), answer.order.end());
      result.differences.Expect("active_set", expected.at("ranks").size(), distinct.size());
    } else if (word == "ranks") {
      Json ranks = Json::object();
      for (size_t i = 0; i < answer.order.size(); ++i) ranks[answer.order[i]] = i;
      if (ranks == expected.at("ranks")) continue;
      if (NaturallyOrdered(input, answer)) {
        result.decided = kNaturalNames;
        continue;
      }
      // Other nodes by decision; then at least as many, in whole segments, in the peer's own order.
      std::vector<std::string> active(answer.order.begin(),
                                      answer.order.begin() + static_cast<ptrdiff_t>(answer.active));
      std::set<std::string> ours(active.begin(), active.end());
      std::set<std::string> theirs;
      for (const Json& id : expected.at("active")) theirs.insert(id);
      if (ours == theirs || ours.size() != theirs.size()) {
        result.differences.Expect("ranks", expected.at("ranks"), ranks);
      } else {
        result.decided = kFewestDomains;
      }
    } else {
      result.differences.Unknown(absl::StrCat("must: ", word.dump()));
    }
  }
}

}  // namespace muster::conformance
