#include "lib/placement/room.h"

namespace muster::placement {

Room::Room(const Topology& topology, const std::vector<bool>& usable, const std::vector<SliceRule>& rules)
    : nodes_(topology.domains().size()), units_(topology.domains().size()) {
  // Children have greater indexes than their parents.
  for (size_t d = topology.domains().size(); d-- > 0;) {
    const Domain& domain = topology.domains()[d];
    for (const NodeIndex node : domain.own_nodes) {
      if (!usable[node.value()]) continue;
      ++nodes_[d];
      if (KnowsSliceTiers(rules, topology, node)) ++units_[d];
    }
    for (const SliceRule& rule : rules) {
      if (rule.tier == domain.tier) units_[d] -= units_[d] % rule.units;
    }
    if (d == 0) break;
    nodes_[domain.parent.value()] += nodes_[d];
    units_[domain.parent.value()] += units_[d];
  }
}

std::vector<DomainIndex> DomainsAllowed(const Topology& topology, int required_tier) {
  if (required_tier == kNoTier) return {Topology::root()};
  return topology.DomainsOfTier(required_tier);
}

}  // namespace muster::placement
