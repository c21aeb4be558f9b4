#pragma once
// What a placement's wishes cost, by counts alone: the part of the objective that doesn't depend on who is where.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// `units` by slot; `spares`: their slots.
int64_t WishCost(const Site& site, const Wishes& wishes, const std::vector<int32_t>& units,
                 const std::vector<int32_t>& spares);

}  // namespace muster::placement
