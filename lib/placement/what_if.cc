#include "lib/placement/what_if.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/errors.h"
#include "lib/inventory/host_list.h"

namespace muster::placement {
namespace {

constexpr int kMaxNames = 20'000;
constexpr int kMaxAdded = 1'000;

absl::Status Error(absl::string_view change, absl::string_view problem, absl::string_view way_out) {
  return FieldError(absl::StrCat("what_if \"", change.substr(0, 64), "\""), problem, way_out);
}

std::vector<std::string> NodeNames(const Cluster& cluster) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < cluster.topology->size(); ++i) names.push_back(cluster.topology->node(NodeIndex(i)).name);
  return names;
}

absl::StatusOr<std::vector<NodeIndex>> NodesOf(absl::string_view change, absl::string_view list,
                                               const Cluster& cluster) {
  const auto names = inventory::ExpandHostList(list, kMaxNames);
  if (!names.ok()) return Error(change, names.status().message(), "name nodes: gpu-[01-04],gpu-07");
  std::vector<NodeIndex> nodes;
  for (const std::string& name : *names) {
    const absl::optional<NodeIndex> found = cluster.topology->Find(name);
    if (!found) {
      const std::string nearest = NearestName(name, NodeNames(cluster));
      return Error(change, absl::StrCat("there is no node ", name.substr(0, 64)),
                   nearest.empty() ? "nodes there are: muster get nodes" : absl::StrCat("did you mean ", nearest, "?"));
    }
    nodes.push_back(*found);
  }
  return nodes;
}

absl::Status EndJob(absl::string_view change, absl::string_view job, Cluster& cluster) {
  std::set<std::string> holders;
  bool found = false;
  for (NodeState& state : cluster.states) {
    if (state.free) continue;
    holders.insert(state.holder);
    if (state.holder != job) continue;
    found = true;
    state.free = true;
    state.holder.clear();
  }
  if (found) return absl::OkStatus();
  return Error(change, absl::StrCat("no node is held by ", job.substr(0, 128)),
               holders.empty() ? "every node is free"
                               : absl::StrCat("jobs that hold nodes: ", FewNames({holders.begin(), holders.end()})));
}

// Facts that most nodes have, but for what is a node's own.
NodeFacts UsualFacts(const Cluster& cluster) {
  std::map<int64_t, int64_t> count;
  for (const NodeFacts& facts : *cluster.facts) ++count[facts.slots];
  NodeFacts usual;
  int64_t most = 0;
  for (const auto& [slots, nodes] : count) {
    if (nodes < most) continue;
    most = nodes;
    usual.slots = slots;
  }
  return usual;
}

absl::Status AddNodes(absl::string_view change, absl::string_view what, Cluster& cluster) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(what, absl::MaxSplits('@', 1));
  const Tiers tiers = cluster.topology->tiers();  // the topology goes as nodes are added
  std::vector<std::string> path;
  if (!parts.second.empty()) path = absl::StrSplit(parts.second, '/');
  if (path.empty()) path.resize(tiers.size());
  if (path.size() != tiers.size()) {
    return Error(change, absl::StrCat("the domain has ", path.size(), " parts for ", tiers.size(), " tiers"),
                 absl::StrCat("write add=NODES@", absl::StrJoin(tiers.Names(), "/"), ", - for an unknown one"));
  }
  const auto names = inventory::ExpandHostList(parts.first, kMaxAdded);
  if (!names.ok()) return Error(change, names.status().message(), "write add=gpu-x[1-8]@b1/r3");
  const NodeFacts usual = UsualFacts(cluster);
  auto facts = std::make_shared<std::vector<NodeFacts>>(*cluster.facts);
  for (const std::string& name : *names) {
    if (cluster.topology->Find(name)) return Error(change, absl::StrCat("node ", name, " is there"), "add others");
    TopologyNode node{name, TopologyPath(tiers.size())};
    NodeFacts added = usual;
    added.uid = NodeUid(name);
    for (size_t i = 0; i < tiers.size(); ++i) {
      if (path[i] == "-" || path[i].empty()) continue;
      node.path[i] = path[i];
      added.labels[tiers[i].label] = path[i];
    }
    auto topology = cluster.topology->With(std::move(node));
    if (!topology.ok()) return Error(change, topology.status().message(), "");
    cluster.topology = *std::move(topology);
    const int32_t at = cluster.topology->Find(name)->value();
    facts->insert(facts->begin() + at, std::move(added));
    cluster.states.insert(cluster.states.begin() + at, NodeState());
  }
  cluster.facts = std::move(facts);
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyWhatIf(absl::string_view change, Cluster& cluster) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(change, absl::MaxSplits('=', 1));
  const auto& [verb, what] = parts;
  if (verb != "drain" && verb != "readmit" && verb != "end" && verb != "add") {
    const std::string nearest = NearestName(verb, {"drain", "readmit", "end", "add"});
    return Error(change, absl::StrCat("\"", verb.substr(0, 32), "\" is unknown"),
                 nearest.empty() ? "use drain=NODES, readmit=NODES, end=NAMESPACE/NAME or add=NODES@DOMAIN"
                                 : absl::StrCat("did you mean ", nearest, "=…?"));
  }
  if (what.empty()) return Error(change, absl::StrCat(verb, " of what?"), absl::StrCat("write ", verb, "=…"));
  if (verb == "end") return EndJob(change, what, cluster);
  if (verb == "add") return AddNodes(change, what, cluster);
  const auto nodes = NodesOf(change, what, cluster);
  if (!nodes.ok()) return nodes.status();
  for (const NodeIndex node : *nodes) {
    NodeState& state = cluster.state_of(node);
    state.ok = verb == "readmit";
    state.reason = state.ok ? "" : "draining: what if";
  }
  return absl::OkStatus();
}

}  // namespace muster::placement
