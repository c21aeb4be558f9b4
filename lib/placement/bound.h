#pragma once
// What no placement can cost less than.

#include <cstdint>
#include <vector>

#include "lib/placement/hop_cost.h"
#include "lib/placement/traffic.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// Largest gang, in units, whose subsets are all looked at.
inline constexpr int32_t kMaxExactUnits = 16;

// A proven lower bound of the cost of `units` units on the usable nodes, the gang whole in one of `allowed`.
//
// Up to kMaxExactUnits units, without cross_rail costs and cliques: the isoperimetric bound. A hop's cost is the sum of
// the steps in hop cost at the borders that it crosses, so the cost is half of Σ over domains of (step at its border) ·
// (traffic leaving the units inside). The least traffic leaving any s units comes from looking at all subsets; a
// knapsack over the tree and its capacities adds the least values up. Slices and spares are left out: the bound only
// gets lower by that. Beyond: every hop at the cheapest cost that two usable nodes have.
int64_t LowerBound(const UnitTraffic& traffic, int32_t units, const Topology& topology, const HopCosts& costs,
                   const std::vector<bool>& usable, const std::vector<DomainIndex>& allowed);

}  // namespace muster::placement
