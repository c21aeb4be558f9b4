#pragma once
// Makes a layout cheaper by small moves until none helps or the steps are used up. Deterministic.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"
#include "lib/placement/traffic.h"

namespace muster::placement {

// Moves: two aligned blocks of units change places (blocks of 1, of each stride of the mesh, of each slice); a unit
// goes to a slot with a free node. Slices hold before and after; `fixed` units stay. Takes the first move that helps,
// in a fixed order. Each look at an edge is a step; `steps` is lowered by those used. Returns the new cost.
// Precondition: traffic has no cliques (their deltas aren't local); then the layout is left as it is.
int64_t Descend(const Site& site, const UnitTraffic& traffic, const std::vector<bool>& fixed, int64_t cost,
                int64_t& steps, Layout& layout);

}  // namespace muster::placement
