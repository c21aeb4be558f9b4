#pragma once
// Spares: nodes held where they can help.

#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/likes.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// `count` of the domain's usable nodes that no unit has: none to be avoided, if possible; those with the least sum of
// hop costs to all units, preferred ones first, then in natural order. Fewer only if there are no more.
std::vector<NodeIndex> ChooseSpares(const Topology& topology, const HopCosts& costs, DomainIndex domain,
                                    const std::vector<bool>& usable, const Units& units, int32_t count,
                                    const Likes& likes = Likes());

// Domains of all tiers that hold both a used and an unused node once these are taken too; `available` is what is unused
// before. Filling broken domains and leaving whole ones makes it small.
int64_t Fragmentation(const Topology& topology, const std::vector<bool>& available, const Units& units,
                      const std::vector<NodeIndex>& spares);

}  // namespace muster::placement
