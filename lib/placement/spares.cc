#include "lib/placement/spares.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace muster::placement {

std::vector<NodeIndex> ChooseSpares(const Topology& topology, const HopCosts& costs, DomainIndex domain,
                                    const std::vector<bool>& usable, const Units& units, int32_t count,
                                    const Likes& likes) {
  if (count <= 0) return {};
  const std::set<NodeIndex> taken(units.begin(), units.end());
  std::map<DomainIndex, int64_t> populations;
  for (const NodeIndex unit : units) ++populations[topology.HomeOf(unit)];
  std::map<DomainIndex, int64_t> distance;  // of a home to all units
  std::vector<std::tuple<bool, int64_t, int, NodeIndex>> candidates;
  const Domain& top = topology.domain(domain);
  for (int32_t at = top.first_node; at < top.last_node; ++at) {
    const NodeIndex node = topology.tree_order()[at];
    if (!usable[node.value()] || taken.count(node) > 0) continue;
    const DomainIndex home = topology.HomeOf(node);
    const auto [known, added] = distance.emplace(home, 0);
    if (added) {
      for (const auto& [other, units_there] : populations) {
        known->second += units_there * costs.Same(topology.SharedTier(home, other));
      }
    }
    candidates.emplace_back(likes.Avoids(node), known->second, likes.Rank(node), node);
  }
  std::sort(candidates.begin(), candidates.end());
  if (candidates.size() > static_cast<size_t>(count)) candidates.resize(count);
  std::vector<NodeIndex> spares;
  for (const auto& candidate : candidates) spares.push_back(std::get<NodeIndex>(candidate));
  return spares;
}

int64_t Fragmentation(const Topology& topology, const std::vector<bool>& available, const Units& units,
                      const std::vector<NodeIndex>& spares) {
  std::vector<bool> unused = available;
  for (const NodeIndex node : units) unused[node.value()] = false;
  for (const NodeIndex node : spares) unused[node.value()] = false;
  std::vector<int64_t> left(topology.domains().size());
  int64_t broken = 0;
  for (size_t d = left.size(); d-- > 1;) {
    const Domain& domain = topology.domains()[d];
    for (const NodeIndex node : domain.own_nodes) left[d] += unused[node.value()] ? 1 : 0;
    if (left[d] > 0 && left[d] < domain.size()) ++broken;
    left[domain.parent.value()] += left[d];
  }
  return broken;
}

}  // namespace muster::placement
