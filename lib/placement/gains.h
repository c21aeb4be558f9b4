#pragma once
// What more free nodes would bring to a placement.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// The finest domains that the placement touches, and their neighbours, each with one more node free and with all of its
// nodes free: those changes whose nodes a placement would use and be cheaper, the cheapest first, at most 8. Looks at
// 24 changes at most, each for an eighth of the usual steps. `placed` is Place's on the same cluster.
std::vector<v1::Explanation::Gain> GainsOf(const Request& request, const Cluster& cluster, const HopCosts& costs,
                                           const Placed& placed);

}  // namespace muster::placement
