#pragma once
// What crosses which tier, a family: groups and edges, both counted, never mixed.

#include <vector>

#include "absl/status/statusor.h"
#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"
#include "lib/topology/topology.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// One entry an item of traffic, in the items' order. Empty without a mesh. `units`: node by unit.
std::vector<v1::FamilyCrossings> CountCrossings(const Request& request, const Topology& topology, const HopCosts& costs,
                                                const Units& units);

// Of any family of the mesh, its hops counted as a ring's; cost 0. NOT_FOUND: no such family; RESOURCE_EXHAUSTED as
// UnitTraffic::Of.
absl::StatusOr<v1::FamilyCrossings> CrossingsOf(const Request& request, absl::string_view family,
                                                const Topology& topology, const Units& units);

}  // namespace muster::placement
