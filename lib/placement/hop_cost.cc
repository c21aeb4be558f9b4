#include "lib/placement/hop_cost.h"

namespace muster::placement {

HopCosts HopCosts::Default(size_t tiers) {
  HopCosts costs;
  costs.same_rail.assign(tiers + 1, 1);
  for (size_t i = tiers; i-- > 0;) costs.same_rail[i] = costs.same_rail[i + 1] * 4;
  return costs;
}

HopCosts HopCosts::Of(const Tiers& tiers) {
  HopCosts costs = Default(tiers.size());
  if (tiers.fabric() != Fabric::kRailOptimised) return costs;
  costs.cross_rail = costs.same_rail;
  for (size_t i = costs.cross_rail.size(); i-- > 1;) costs.cross_rail[i] = costs.same_rail[i - 1];
  return costs;
}

}  // namespace muster::placement
