#pragma once
// New nodes for the ranks that lost theirs, all others staying where they are.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"

namespace muster::placement {

struct RepairRequest {
  const Request* request = nullptr;
  std::vector<NodeIndex> units;   // the present node of every unit
  std::vector<int32_t> vacated;   // units whose node is lost, ascending, distinct
  std::vector<NodeIndex> spares;  // held for this job; those that aren't ok are passed over
};

// Each vacated unit gets the node that makes the whole cheapest with all others pinned: one of the job's spares or any
// free and ok node that fits, under the required tier and the slices; a spare first when equal, then least
// fragmentation, then natural order. Several at once: one after the other, then improved until no single change helps.
// Placed::spares are the spares that are left. NotNow names what is short. Never a node that was vacated.
// Never: what remains can't be completed on any state of the cluster; a new attempt is needed.
Decision Repair(const RepairRequest& repair, const Cluster& cluster, const HopCosts& costs);

}  // namespace muster::placement
