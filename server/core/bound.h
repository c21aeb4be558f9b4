#pragma once
// Placements where another scheduler chose the nodes (placement.source: bound): the ranks are laid over the nodes where
// the members are, and reported like any other.

#include <optional>
#include <string>

#include "lib/gang/event.h"
#include "lib/placement/cluster.h"
#include "lib/placement/hop_cost.h"
#include "server/core/job_table.h"

namespace muster::core {

// For a job of that source whose members are all bound: PlacementFound, or in Repairing ReplacementFound, in which only
// members that are elsewhere now have another node. nullopt: not yet; `why` says what is missing.
std::optional<gang::Event> PlaceBound(const Job& job, const placement::Cluster& cluster,
                                      const placement::HopCosts& costs, std::string* why);

}  // namespace muster::core
