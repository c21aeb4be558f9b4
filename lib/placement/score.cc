#include "lib/placement/score.h"

#include <algorithm>
#include <limits>
#include <map>

#include "lib/placement/spares.h"

namespace muster::placement {
namespace {

int64_t SpareDistance(const Topology& topology, const HopCosts& costs, const Units& units,
                      const std::vector<NodeIndex>& spares) {
  std::map<DomainIndex, int64_t> nearest;
  int64_t sum = 0;
  for (const NodeIndex unit : units) {
    const auto [at, added] = nearest.emplace(topology.HomeOf(unit), std::numeric_limits<int64_t>::max());
    if (added) {
      for (const NodeIndex spare : spares) {
        at->second = std::min(at->second, costs.Same(topology.SharedTier(at->first, topology.HomeOf(spare))));
      }
    }
    sum += at->second;
  }
  return sum;
}

}  // namespace

Score ScoreOf(const UnitTraffic& traffic, const Topology& topology, const HopCosts& costs, const Wishes& wishes,
              const std::vector<bool>& idle, const Units& units, const std::vector<NodeIndex>& spares,
              const Likes& likes) {
  Score score;
  score.traffic = CostOf(traffic, topology, costs, units);
  if (wishes.preferred_tier != kNoTier) {
    score.preferred = wishes.preferred_penalty * (topology.CountTouched(units, wishes.preferred_tier) - 1);
  }
  if (!spares.empty() && wishes.spare_weight > 0) {
    score.spares = wishes.spare_weight * SpareDistance(topology, costs, units, spares);
  }
  for (const auto* nodes : {&units, &spares}) {
    for (const NodeIndex node : *nodes) {
      if (likes.Avoids(node)) score.avoided += wishes.avoid_penalty;
      if (!likes.preferred.empty() && !likes.Prefers(node)) ++score.not_preferred;
    }
  }
  score.frag = Fragmentation(topology, idle, units, spares);
  return score;
}

}  // namespace muster::placement
