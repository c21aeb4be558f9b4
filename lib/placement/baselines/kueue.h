#pragma once
// Which nodes Kueue's topology-aware scheduling takes with its BestFit profile, for pods that fill a node each.
//
// From the wanted tier (required, else preferred, else the finest; never finer than the outermost slice) up to the
// coarsest: the tightest single domain that holds all; a required tier is not left. Where none does, domains of the
// coarsest tier, fullest first, the last one the tightest that does. Down the tree the same again: down to the
// outermost slice's tier over all children at once, below it within each domain. Capacity counts whole slices.
// Source: kubernetes-sigs/kueue, KEP-2724.

#include <vector>

#include "absl/status/statusor.h"
#include "lib/placement/baselines/baseline.h"

namespace muster::placement {

// In the order of the tree. Nodes with an unknown label are no candidates. FAILED_PRECONDITION: no placement found.
absl::StatusOr<Nodes> KueueNodes(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job);

}  // namespace muster::placement
