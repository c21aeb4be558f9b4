#pragma once
// Which nodes a job gets, and which node rank sits on which.
//
// Nodes: among free and ok nodes that fit, under the required tier and all rules (rules.h), those to be avoided only
// where it doesn't fit without them; then least cost, wishes included (wishes.h), among the candidates looked at; then
// the most preferred nodes, then least fragmentation left behind, then natural name order. A job without traffic takes
// the least spread, tier by tier from coarse to fine, in place of the cost.
// Ranks: `topology` lays them by the traffic (search.h); `index` keeps rank = position in natural order of the nodes.
//
// Pure and deterministic: equal inputs give equal answers whatever the order of the nodes given.

#include "lib/placement/cluster.h"
#include "lib/placement/cost.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"

namespace muster::placement {

// How long to search: looks at links of the traffic (search.h), so that the same budget gives the same answer anywhere.
struct SearchOptions {
  static constexpr int64_t kDefaultSteps = 9'000'000;
  int64_t steps = kDefaultSteps;
};

Decision Place(const Request& request, const Cluster& cluster);
Decision Place(const Request& request, const Cluster& cluster, const HopCosts& costs,
               const SearchOptions& options = SearchOptions());
// Whether it would be placed, by counting alone.
v1::Feasibility CanPlace(const Request& request, const Cluster& cluster);

// The same nodes, by unit: how to lay ranks over nodes that another scheduler chose. Never costs more than natural
// order of the names, which it is under rank_by: index. Slices hold, and replicas are apart, if the nodes allow it.
// Precondition: one distinct node a unit.
Units RankOver(const Request& request, const Cluster& cluster, const HopCosts& costs,
               const std::vector<NodeIndex>& nodes, const SearchOptions& options = SearchOptions());

}  // namespace muster::placement
