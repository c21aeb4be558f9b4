#pragma once
// What crosses which tier, a family: groups and edges, both counted, never mixed.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// One entry a family that carries traffic, and one for each further family of two or more members whose groups strides
// express (their edges counted as a ring), in the mesh's creation order. Empty without a mesh. `units`: node by unit.
std::vector<v1::FamilyCrossings> CountCrossings(const Request& request, const Topology& topology, const HopCosts& costs,
                                                const std::vector<NodeIndex>& units);

}  // namespace muster::placement
