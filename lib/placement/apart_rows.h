#pragma once
// Rows of slots in which no domain is shared by replicas, for a job that asks for that.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"

namespace muster::placement {

// Each row has the slots of the first replica, then those of the second, and so on; where units of one replica are laid
// along their part, the rule holds. Ways: domains in depth-first order, those with the most room first, those that fit
// the replicas best first (bin_cover.h). All distinct; at least one where the site holds the gang (room.h).
std::vector<std::vector<int32_t>> ApartRows(const Site& site);

}  // namespace muster::placement
