#include "lib/placement/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster::placement {
namespace {

// What a condition is called in sentences.
const char* ConditionText(v1::NodeCondition condition) {
  switch (condition) {
    case v1::DRAINING:
      return "draining";
    case v1::QUARANTINED:
      return "quarantined";
    case v1::LOST:
      return "lost";
    default:
      return "";
  }
}

NodeFacts FactsOf(const v1::Node& node) {
  NodeFacts facts;
  facts.uid = NodeUid(node.info().uid().empty() ? node.info().name() : node.info().uid());
  facts.address = node.info().address();
  facts.labels.insert(node.info().labels().begin(), node.info().labels().end());
  const auto gpus = node.info().capacity().find("gpu");
  facts.slots = gpus == node.info().capacity().end() ? node.info().accelerators_size() : gpus->second;
  return facts;
}

NodeState StateOf(const v1::Node& node) {
  NodeState state;
  state.free = node.use() == v1::NODE_USE_UNSPECIFIED || node.use() == v1::FREE;
  state.ok = node.condition() == v1::NODE_CONDITION_UNSPECIFIED || node.condition() == v1::NODE_OK;
  state.holder = node.job();
  if (!state.ok) {
    state.reason = absl::StrCat(ConditionText(node.condition()), node.reason().empty() ? "" : ": ", node.reason());
  }
  return state;
}

}  // namespace

absl::StatusOr<Cluster> MakeCluster(const Tiers& tiers, const std::vector<v1::Node>& nodes) {
  std::vector<TopologyNode> places;
  std::map<std::string, std::string> uids;
  for (const v1::Node& node : nodes) {
    const std::string field = absl::StrCat("nodes.", node.info().name().substr(0, 64));
    places.push_back({node.info().name(), PathOf(node.info().labels(), tiers)});
    const std::string& uid = node.info().uid().empty() ? node.info().name() : node.info().uid();
    if (const auto [at, added] = uids.emplace(uid, node.info().name()); !added && at->second != node.info().name()) {
      return FieldError(absl::StrCat(field, ".uid"),
                        absl::StrCat("\"", uid.substr(0, 64), "\" is also the uid of node ", at->second),
                        "give every node a uid of its own, or none");
    }
    for (const auto& [resource, count] : node.info().capacity()) {
      if (count >= 0) continue;
      return FieldError(absl::StrCat(field, ".capacity.", resource), absl::StrCat(count, " is negative"),
                        "give 0 or more");
    }
  }
  auto topology = Topology::Create(tiers, std::move(places));
  if (!topology.ok()) return topology.status();
  Cluster cluster;
  cluster.topology = *topology;
  auto facts = std::make_shared<std::vector<NodeFacts>>(nodes.size());
  cluster.states.resize(nodes.size());
  for (const v1::Node& node : nodes) {
    const NodeIndex index = *cluster.topology->Find(node.info().name());
    (*facts)[index.value()] = FactsOf(node);
    cluster.states[index.value()] = StateOf(node);
  }
  cluster.facts = std::move(facts);
  return cluster;
}

}  // namespace muster::placement
