#pragma once
// Prices of wishes that come before any cost, as far as numbers go.

#include <cstdint>

#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"

namespace muster::placement {

// More than what all traffic between nodes can cost.
int64_t AboveTraffic(const Request& request, const HopCosts& costs);

// What each further domain of the preferred tier costs: as the job says, else more than all traffic.
int64_t PreferredPenalty(const Request& request, const HopCosts& costs);

// What each node to be avoided costs: more than traffic, preferred tier and spares together.
int64_t AvoidPenalty(const Request& request, const HopCosts& costs, int32_t spares);

}  // namespace muster::placement
