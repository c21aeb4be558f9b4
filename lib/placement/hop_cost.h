#pragma once
// What a hop between two nodes costs, by the deepest tier they share.

#include <cstdint>
#include <vector>

#include "lib/topology/topology.h"

namespace muster::placement {

// Entry 0: nodes that share no tier; entry i+1: nodes whose deepest shared tier is i. Never increasing, one more entry
// than tiers; 0..1,000,000 each. `cross_rail`, unless empty, holds for hops between different places in their nodes
// (rail-optimised fabrics: another rail is another leaf switch).
struct HopCosts {
  std::vector<int64_t> same_rail;
  std::vector<int64_t> cross_rail;

  // 1 within the finest tier, four times as much for each tier up: 1, 4, 16, … as networks are oversubscribed.
  static HopCosts Default(size_t tiers);
  // The same for the tiers' fabric: where every rail has its own leaf switches, a hop to another rail costs as one tier
  // up.
  static HopCosts Of(const Tiers& tiers);

  int64_t Same(int shared_tier) const { return same_rail[shared_tier + 1]; }
  int64_t Cross(int shared_tier) const { return (cross_rail.empty() ? same_rail : cross_rail)[shared_tier + 1]; }
};

}  // namespace muster::placement
