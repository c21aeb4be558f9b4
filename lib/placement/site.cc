#include "lib/placement/site.h"

namespace muster::placement {

Site::Site(const Topology& topology, const HopCosts& costs, const std::vector<SliceRule>& rules, DomainIndex domain,
           const std::vector<bool>& usable)
    : topology_(topology),
      costs_(costs),
      rules_(rules),
      domain_(domain),
      tiers_(static_cast<int>(topology.tiers().size())) {
  const Domain& top = topology.domain(domain);
  for (int32_t at = top.first_node; at < top.last_node; ++at) {
    const NodeIndex node = topology.tree_order()[at];
    if (!usable[node.value()] || !KnowsSliceTiers(rules, topology, node)) continue;
    const DomainIndex home = topology.HomeOf(node);
    if (slots_.empty() || slots_.back().home != home) slots_.push_back({home, {}});
    slots_.back().nodes.push_back(node);
  }
  ancestors_.assign(slots_.size() * tiers_, -1);
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    for (DomainIndex d = slots_[slot].home; d != Topology::root(); d = topology.domain(d).parent) {
      ancestors_[slot * tiers_ + topology.domain(d).tier] = d.value();
    }
  }
}

int64_t Site::CostOf(const UnitTraffic& traffic, const Layout& layout) const {
  int64_t cost = 0;
  for (const UnitEdge& edge : traffic.edges) {
    const int tier = SharedTier(layout[edge.a], layout[edge.b]);
    cost += edge.same_rail * costs_.Same(tier) + edge.cross_rail * costs_.Cross(tier);
  }
  if (traffic.cliques.empty()) return cost;
  return cost + placement::CostOf({}, traffic.cliques, topology_, costs_, NodesOf(layout));
}

bool Site::SlicesHold(const Layout& layout) const {
  for (const SliceRule& rule : rules_) {
    for (size_t i = 0; i < layout.size(); ++i) {
      if (!Shares(layout[i - i % rule.units], layout[i], rule.tier)) return false;
    }
  }
  return true;
}

Units Site::NodesOf(const Layout& layout) const {
  std::vector<size_t> taken(slots_.size());
  Units units;
  units.reserve(layout.size());
  for (const int32_t slot : layout) units.push_back(slots_[slot].nodes[taken[slot]++]);
  return units;
}

}  // namespace muster::placement
