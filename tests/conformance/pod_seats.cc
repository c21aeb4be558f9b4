#include "tests/conformance/pod_seats.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::conformance {
namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";
constexpr char kPods[] = "pods";

bool Tolerates(const Json& request, const Json& taint) {
  if (taint.at("effect") != "NoSchedule" && taint.at("effect") != "NoExecute") return true;
  for (const Json& toleration : request.at("tolerations")) {
    const std::string key = toleration.value("key", "");
    const std::string effect = toleration.value("effect", "");
    const std::string op = toleration.value("operator", "Equal");
    if (!effect.empty() && effect != taint.at("effect")) continue;
    if (key.empty() && op == "Exists") return true;
    if (key != taint.at("key")) continue;
    if (op == "Exists" || toleration.value("value", "") == taint.value("value", "")) return true;
  }
  return false;
}

bool Matches(const Json& labels, const Json& requirement) {
  const std::string key = requirement.at("key");
  const std::string op = requirement.at("op");
  const bool there = labels.contains(key);
  if (op == "Exists") return there;
  if (op == "DoesNotExist") return !there;
  const Json& values = requirement.at("values");
  const bool among = there && std::find(values.begin(), values.end(), labels.at(key)) != values.end();
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  throw std::runtime_error(absl::StrCat("affinity operator ", op));
}

bool MatchesAny(const Json& labels, const Json& terms) {
  if (terms.empty()) return true;
  return std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
    return std::all_of(term.begin(), term.end(), [&](const Json& requirement) { return Matches(labels, requirement); });
  });
}

bool HasAll(const Json& labels, const Json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!labels.contains(key) || labels.at(key) != value) return false;
  }
  return true;
}

// Rule 1 of the cases' README.
bool Counts(const Json& peer_case, const Json& request, const Json& node) {
  if (!node.at("ready").get<bool>() || !node.at("schedulable").get<bool>()) return false;
  const Json& labels = node.at("labels");
  if (!HasAll(labels, peer_case.at("pool_selector"))) return false;
  for (const Json& level : peer_case.at("levels")) {
    if (!labels.contains(level.get<std::string>())) return false;
  }
  if (peer_case.at("levels").back() != kHostname) return true;
  for (const Json& taint : node.at("taints")) {
    if (!Tolerates(request, taint)) return false;
  }
  return HasAll(labels, request.at("node_selector")) && MatchesAny(labels, request.at("affinity_required"));
}

}  // namespace

std::map<LeafPath, Resources> FreeByLeaf(const Json& peer_case, const Json& request) {
  std::map<LeafPath, Resources> free;
  std::map<std::string, LeafPath> leaf_of_node;
  for (const Json& node : peer_case.at("nodes")) {
    if (!Counts(peer_case, request, node)) continue;
    LeafPath path;
    for (const Json& level : peer_case.at("levels")) path.push_back(node.at("labels").at(level.get<std::string>()));
    for (const auto& [name, amount] : node.at("allocatable").items()) free[path][name] += amount.get<int64_t>();
    leaf_of_node[node.at("name")] = path;
  }
  for (const Json& pod : peer_case.at("other_pods")) {
    if (!pod.at("node").is_string() || leaf_of_node.count(pod.at("node")) == 0) continue;
    const std::string phase = pod.value("phase", "running");
    if (phase == "failed" || phase == "succeeded") continue;
    Take(free[leaf_of_node[pod.at("node")]], pod.at("requests").get<Resources>(), 1);
  }
  const bool by_host = peer_case.at("levels").back() == kHostname;
  for (const Json& usage : peer_case.at("usage")) {
    if (usage.at("origin") != "same_pool" && !by_host) continue;
    const LeafPath domain = usage.at("domain").get<LeafPath>();
    for (auto& [path, left] : free) {
      const bool same = domain.size() == path.size() ? domain == path : domain.back() == path.back();
      if (same) Take(left, usage.at("per_pod").get<Resources>(), usage.at("count").get<int64_t>());
    }
  }
  return free;
}

int64_t PodsThatFit(const Resources& free, const Resources& per_pod) {
  Resources cost = per_pod;
  ++cost[kPods];
  int64_t fit = std::numeric_limits<int64_t>::max();
  for (const auto& [name, amount] : cost) {
    if (amount <= 0) continue;
    const auto left = free.find(name);
    fit = std::min(fit, left == free.end() ? 0 : std::max<int64_t>(0, left->second) / amount);
  }
  return fit;
}

void Take(Resources& free, const Resources& per_pod, int64_t count) {
  for (const auto& [name, amount] : per_pod) free[name] -= amount * count;
  free[kPods] -= count;
}

placement::Cluster SeatsOf(const std::vector<std::string>& levels, const std::map<LeafPath, int64_t>& seats) {
  std::vector<Tier> tiers;
  for (const std::string& level : levels) tiers.push_back({level, level});
  std::vector<v1::Node> nodes;
  for (const auto& [path, count] : seats) {
    for (int64_t i = 0; i < count; ++i) {
      v1::NodeInfo& info = *nodes.emplace_back().mutable_info();
      info.set_name(absl::StrCat(absl::StrJoin(path, "/"), "#", i));
      (*info.mutable_capacity())["gpu"] = 1;
      for (size_t level = 0; level < levels.size(); ++level) (*info.mutable_labels())[levels[level]] = path[level];
    }
  }
  return placement::MakeCluster(Tiers::Create(std::move(tiers)).value(), nodes).value();
}

}  // namespace muster::conformance
