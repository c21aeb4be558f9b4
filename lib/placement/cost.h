#pragma once
// The cost of a placement: Σ over traffic items, groups and hops of weight · hop cost of the two nodes; hops within a
// node cost nothing. Integers, so that two programs agree exactly.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/traffic.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// Node by unit. One node may hold several units only where the caller means it so: hops between them are free.
using Units = std::vector<NodeIndex>;

// Pairs of units by the deepest tier that their nodes share, hops counted or weighted as the edges are. Cliques are
// counted by the domains' populations, never pair by pair. O(edges · depth + clique members · depth).
struct HopsByTier {
  // Entry 0: no tier shared; entry i+1: deepest shared tier i.
  std::vector<int64_t> same_rail;
  std::vector<int64_t> cross_rail;
};
HopsByTier CountHops(absl::Span<const UnitEdge> edges, absl::Span<const UnitClique> cliques, const Topology& topology,
                     const Units& units);

int64_t CostOf(absl::Span<const UnitEdge> edges, absl::Span<const UnitClique> cliques, const Topology& topology,
               const HopCosts& costs, const Units& units);

// Of the whole weighted traffic.
int64_t CostOf(const UnitTraffic& traffic, const Topology& topology, const HopCosts& costs, const Units& units);

}  // namespace muster::placement
