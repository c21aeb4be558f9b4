#include "lib/placement/baselines/slurm.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::placement {
namespace {

// The nodes of one leaf that may be used, in tree order.
using Leaves = std::map<DomainIndex, Nodes>;

// Leaf of a node: where it is at home or, with slices, its domain of the outermost slice's tier.
absl::optional<DomainIndex> LeafOf(const Topology& topology, const BaselineJob& job, NodeIndex node) {
  if (job.slices.empty()) return topology.HomeOf(node);
  return topology.DomainOf(node, job.slices.front().tier);
}

Leaves LeavesBelow(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job,
                   DomainIndex domain) {
  Leaves leaves;
  const Domain& top = topology.domain(domain);
  for (int32_t at = top.first_node; at < top.last_node; ++at) {
    const NodeIndex node = topology.tree_order()[at];
    if (!usable[node.value()]) continue;
    if (const absl::optional<DomainIndex> leaf = LeafOf(topology, job, node)) leaves[*leaf].push_back(node);
  }
  const size_t slice = job.slices.empty() ? 1 : job.slices.front().units;
  for (auto& [leaf, nodes] : leaves) nodes.resize(nodes.size() / slice * slice);
  return leaves;
}

// Whether a domain of the tier holds it; kNoTier: always.
bool Below(const Topology& topology, DomainIndex domain, int tier) {
  while (topology.domain(domain).tier > tier) domain = topology.domain(domain).parent;
  return topology.domain(domain).tier == tier;
}

// The lowest domain with room, the tightest of its tier; nullopt: none.
absl::optional<DomainIndex> LowestSwitch(const Topology& topology, const std::vector<bool>& usable,
                                         const BaselineJob& job) {
  std::vector<int64_t> room(topology.domains().size());
  for (const auto& [leaf, nodes] : LeavesBelow(topology, usable, job, Topology::root())) {
    for (DomainIndex at = leaf;; at = topology.domain(at).parent) {
      room[at.value()] += static_cast<int64_t>(nodes.size());
      if (at == Topology::root()) break;
    }
  }
  absl::optional<DomainIndex> best;
  std::pair<int, int64_t> best_key;
  for (size_t i = 0; i < room.size(); ++i) {
    const DomainIndex domain(static_cast<int32_t>(i));
    const int tier = topology.domain(domain).tier;
    if (room[i] < job.units || !Below(topology, domain, job.required_tier)) continue;
    const std::pair<int, int64_t> key(-tier, room[i]);
    if (best && !(key < best_key)) continue;
    best = domain;
    best_key = key;
  }
  return best;
}

}  // namespace

absl::StatusOr<Nodes> SlurmNodes(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job) {
  const absl::optional<DomainIndex> top = LowestSwitch(topology, usable, job);
  if (!top) return absl::FailedPreconditionError(absl::StrCat("slurm's rule finds no ", job.units, " nodes"));
  const Leaves leaves = LeavesBelow(topology, usable, job, *top);
  // By nodes, then in tree order.
  std::set<std::pair<int64_t, DomainIndex>> left;
  for (const auto& [leaf, nodes] : leaves) left.emplace(nodes.size(), leaf);
  Nodes taken;
  for (int64_t wanted = job.units; wanted > 0;) {
    auto at = left.lower_bound({wanted, DomainIndex(-1)});
    // None holds the rest: the first of the fullest.
    if (at == left.end()) at = left.lower_bound({std::prev(left.end())->first, DomainIndex(-1)});
    const Nodes& nodes = leaves.at(at->second);
    const int64_t some = std::min(wanted, at->first);
    taken.insert(taken.end(), nodes.begin(), nodes.begin() + some);
    wanted -= some;
    left.erase(at);
  }
  return taken;
}

}  // namespace muster::placement
