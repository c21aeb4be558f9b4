#pragma once
// Which nodes a job gets, and which node rank sits on which.
//
// Nodes: among free and ok nodes that fit, the lowest domain that holds the whole gang with its spares, under the
// required tier and the slices; then the preferred tier's fewest domains; then least cost among the candidates looked
// at; then least fragmentation left behind; then natural name order. A job without traffic takes the least spread, tier
// by tier from coarse to fine, in place of the cost.
// Ranks: `topology` lays them by the traffic (assign.h); `index` keeps rank = position in natural order of the nodes.
//
// Pure and deterministic: equal inputs give equal answers whatever the order of the nodes given.

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"

namespace muster::placement {

Decision Place(const Request& request, const Cluster& cluster);
Decision Place(const Request& request, const Cluster& cluster, const HopCosts& costs);

// The report of a placement that is given, node by node rank: crossings, cost, digest; no bound and no alternatives.
// For placements that another scheduler made (kueue, bound), and after a repair. Precondition: one node a unit.
v1::Placement Report(const Request& request, const Cluster& cluster, const HopCosts& costs,
                     const std::vector<NodeIndex>& units, const std::vector<NodeIndex>& spares);

// The order in which to lay ranks over nodes that another scheduler chose: assign.h over just these nodes, or by
// position under rank_by: index. The result holds the same nodes, by unit. Precondition: one distinct node a unit.
std::vector<NodeIndex> RankOver(const Request& request, const Cluster& cluster, const HopCosts& costs,
                                const std::vector<NodeIndex>& nodes);

}  // namespace muster::placement
