#pragma once
// New nodes for the ranks that lost theirs, all others staying where they are.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/place.h"
#include "lib/placement/request.h"

namespace muster::placement {

struct RepairRequest {
  const Request* request = nullptr;
  std::vector<NodeIndex> units;   // the present node of every unit
  std::vector<int32_t> vacated;   // units whose node is lost, ascending, distinct
  std::vector<NodeIndex> spares;  // held for this job; those that aren't ok are passed over
};

// Each vacated unit gets the node that makes the whole cheapest with all others pinned: one of the job's spares or any
// free and ok node that fits, under the required tier and all rules (rules.h), one to be avoided only if no other does;
// a spare first when equal, then a preferred node, then least fragmentation, then natural order. The way to spares
// costs nothing here: they are used up. Several at once: one after the other, then improved until no single change
// helps. Placed::spares are the spares that are left. NotNow names what is short. Never a node that was vacated.
// Placed::placement's reason also tells if a new placement on the free nodes and the gang's own would cost markedly
// less (at most 0.8 of it); it is searched for with `anew_steps`, 0: not at all. Never: what remains can't be completed
// on any state of the cluster; a new attempt is needed.
Decision Repair(const RepairRequest& repair, const Cluster& cluster, const HopCosts& costs,
                int64_t anew_steps = SearchOptions::kDefaultSteps / 4);

}  // namespace muster::placement
