#include "lib/placement/bound.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::placement {
namespace {

constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max() / 4;

// Least weight of the edges that leave any s of the units, s = 0..units. 2^units subsets, each from a smaller one.
std::vector<int64_t> LeastCuts(const UnitTraffic& traffic, int32_t units) {
  std::vector<std::vector<int64_t>> weight(units, std::vector<int64_t>(units));
  std::vector<int64_t> degree(units);
  for (const UnitEdge& edge : traffic.edges) {
    weight[edge.a][edge.b] = weight[edge.b][edge.a] = edge.same_rail + edge.cross_rail;
    degree[edge.a] += edge.same_rail + edge.cross_rail;
    degree[edge.b] += edge.same_rail + edge.cross_rail;
  }
  std::vector<int64_t> least(units + 1, kImpossible);
  std::vector<int64_t> cut(size_t{1} << units);
  least[0] = 0;
  for (uint32_t set = 1; set < cut.size(); ++set) {
    const int low = __builtin_ctz(set);
    const uint32_t rest = set & (set - 1);
    int64_t inside = 0;
    for (uint32_t left = rest; left != 0; left &= left - 1) inside += weight[low][__builtin_ctz(left)];
    cut[set] = cut[rest] + degree[low] - 2 * inside;
    int64_t& least_of_size = least[__builtin_popcount(set)];
    least_of_size = std::min(least_of_size, cut[set]);
  }
  return least;
}

// least(s) of two parts of a domain together.
std::vector<int64_t> Join(const std::vector<int64_t>& a, const std::vector<int64_t>& b, size_t most) {
  std::vector<int64_t> both(std::min(most, a.size() + b.size() - 2) + 1, kImpossible);
  for (size_t i = 0; i < a.size() && i < both.size(); ++i) {
    for (size_t j = 0; j < b.size() && i + j < both.size(); ++j) both[i + j] = std::min(both[i + j], a[i] + b[j]);
  }
  return both;
}

int64_t CheapestHop(const Topology& topology, const HopCosts& costs, const std::vector<bool>& usable) {
  // The deepest tier of a domain with two usable nodes; parents count their children's.
  std::vector<int64_t> nodes(topology.domains().size());
  int deepest = kNoTier;
  for (size_t d = nodes.size(); d-- > 0;) {
    const Domain& domain = topology.domains()[d];
    for (const NodeIndex node : domain.own_nodes) nodes[d] += usable[node.value()] ? 1 : 0;
    if (nodes[d] >= 2) deepest = std::max(deepest, domain.tier);
    if (d > 0) nodes[domain.parent.value()] += nodes[d];
  }
  return std::min(costs.Same(deepest), costs.Cross(deepest));
}

}  // namespace

int64_t LowerBound(const UnitTraffic& traffic, int32_t units, const Topology& topology, const HopCosts& costs,
                   const std::vector<bool>& usable, const std::vector<DomainIndex>& allowed) {
  const int64_t cheapest = CheapestHop(topology, costs, usable);
  int64_t weights = 0;
  for (const UnitEdge& edge : traffic.edges) weights += edge.same_rail + edge.cross_rail;
  for (const UnitClique& clique : traffic.cliques) {
    const auto size = static_cast<int64_t>(clique.units.size());
    weights += (clique.same_rail + clique.cross_rail) * (size * (size - 1) / 2);
  }
  if (units > kMaxExactUnits || !costs.cross_rail.empty() || !traffic.cliques.empty()) return weights * cheapest;

  const std::vector<int64_t> cuts = LeastCuts(traffic, units);
  const size_t most = static_cast<size_t>(units);
  std::vector<std::vector<int64_t>> inside(topology.domains().size());
  int64_t least_of_all = kImpossible;
  for (size_t d = inside.size(); d-- > 0;) {
    const Domain& domain = topology.domains()[d];
    std::vector<int64_t> least = {0};
    for (const NodeIndex node : domain.own_nodes) {
      if (usable[node.value()]) least = Join(least, {0, (costs.Same(domain.tier) - cheapest) * cuts[1]}, most);
    }
    for (const DomainIndex child : domain.children) {
      const int64_t step = costs.Same(domain.tier) - costs.Same(topology.domain(child).tier);
      std::vector<int64_t>& part = inside[child.value()];
      for (size_t s = 0; s < part.size(); ++s) {
        if (part[s] < kImpossible) part[s] += step * cuts[s];
      }
      least = Join(least, part, most);
    }
    const bool may_hold =
        std::find(allowed.begin(), allowed.end(), DomainIndex(static_cast<int32_t>(d))) != allowed.end();
    if (may_hold && least.size() > most) least_of_all = std::min(least_of_all, least[most]);
    inside[d] = std::move(least);
  }
  // Each border is crossed from both sides, so halves; costs are whole numbers.
  return weights * cheapest + (least_of_all == kImpossible ? 0 : (least_of_all + 1) / 2);
}

}  // namespace muster::placement
