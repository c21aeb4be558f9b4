#include "lib/placement/wish_cost.h"

#include <algorithm>
#include <limits>
#include <set>

namespace muster::placement {

int64_t WishCost(const Site& site, const Wishes& wishes, const std::vector<int32_t>& units,
                 const std::vector<int32_t>& spares) {
  int64_t cost = 0;
  std::set<int32_t> preferred;
  int64_t unknown = 0;
  for (int32_t slot = 0; slot < site.slot_count(); ++slot) {
    const auto held = static_cast<int32_t>(std::count(spares.begin(), spares.end(), slot));
    if (site.avoids()) cost += wishes.avoid_penalty * site.Avoided(slot, units[slot] + held);
    if (units[slot] == 0) continue;
    if (wishes.preferred_tier != kNoTier) {
      const int32_t domain = site.DomainAt(slot, wishes.preferred_tier);
      if (domain < 0) {
        unknown += units[slot];
      } else {
        preferred.insert(domain);
      }
    }
    if (spares.empty() || wishes.spare_weight == 0) continue;
    int64_t nearest = std::numeric_limits<int64_t>::max();
    for (const int32_t spare : spares) nearest = std::min(nearest, site.Same(slot, spare));
    cost += wishes.spare_weight * nearest * units[slot];
  }
  if (wishes.preferred_tier == kNoTier) return cost;
  return cost + wishes.preferred_penalty * (static_cast<int64_t>(preferred.size()) + unknown - 1);
}

}  // namespace muster::placement
