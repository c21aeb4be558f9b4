#pragma once
// A placement as told to people and programs.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// Ranks, spares, crossings, cost, the cost of name order, digest and tiers of a placement that is given, node by unit;
// no bound, alternatives, reason or time. Every pod_index is -1. Precondition: one node a unit.
v1::Placement Report(const Request& request, const Cluster& cluster, const HopCosts& costs, const Units& units,
                     const std::vector<NodeIndex>& spares);

}  // namespace muster::placement
