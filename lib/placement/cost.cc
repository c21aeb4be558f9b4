#include "lib/placement/cost.h"

#include <map>

namespace muster::placement {
namespace {

// Pairs of a clique by deepest shared tier: each pair is counted at the domain where the two nodes' paths part.
void CountClique(const UnitClique& clique, const Topology& topology, const Units& units, HopsByTier& hops) {
  std::map<DomainIndex, int64_t> populations;
  std::map<NodeIndex, int64_t> together;  // units on one node
  for (const int32_t unit : clique.units) {
    ++together[units[unit]];
    for (DomainIndex at = topology.HomeOf(units[unit]);; at = topology.domain(at).parent) {
      ++populations[at];
      if (at == Topology::root()) break;
    }
  }
  const auto pairs = [](int64_t n) { return n * (n - 1) / 2; };
  const auto add = [&](int tier, int64_t count) {
    hops.same_rail[tier + 1] += clique.same_rail * count;
    hops.cross_rail[tier + 1] += clique.cross_rail * count;
  };
  for (const auto& [domain, population] : populations) {
    add(topology.domain(domain).tier, pairs(population));
    if (domain != Topology::root()) add(topology.domain(topology.domain(domain).parent).tier, -pairs(population));
  }
  for (const auto& [node, count] : together) add(topology.domain(topology.HomeOf(node)).tier, -pairs(count));
}

}  // namespace

HopsByTier CountHops(absl::Span<const UnitEdge> edges, absl::Span<const UnitClique> cliques, const Topology& topology,
                     const Units& units) {
  HopsByTier hops{std::vector<int64_t>(topology.tiers().size() + 1), std::vector<int64_t>(topology.tiers().size() + 1)};
  for (const UnitEdge& edge : edges) {
    const NodeIndex a = units[edge.a];
    const NodeIndex b = units[edge.b];
    if (a == b) continue;
    const int shared = topology.SharedTier(a, b) + 1;
    hops.same_rail[shared] += edge.same_rail;
    hops.cross_rail[shared] += edge.cross_rail;
  }
  for (const UnitClique& clique : cliques) CountClique(clique, topology, units, hops);
  return hops;
}

int64_t CostOf(absl::Span<const UnitEdge> edges, absl::Span<const UnitClique> cliques, const Topology& topology,
               const HopCosts& costs, const Units& units) {
  const HopsByTier hops = CountHops(edges, cliques, topology, units);
  int64_t cost = 0;
  for (size_t i = 0; i < hops.same_rail.size(); ++i) {
    const int tier = static_cast<int>(i) - 1;
    cost += hops.same_rail[i] * costs.Same(tier) + hops.cross_rail[i] * costs.Cross(tier);
  }
  return cost;
}

int64_t CostOf(const UnitTraffic& traffic, const Topology& topology, const HopCosts& costs, const Units& units) {
  return CostOf(traffic.edges, traffic.cliques, topology, costs, units);
}

}  // namespace muster::placement
