#pragma once
// Which nodes Slurm's topology/tree takes: below the lowest switch that holds the job (the tightest of them), best-fit
// leaves: the tightest that holds what is left, else the fullest. With slices (its --segment), the outermost slice's
// domains are the leaves and give whole slices only.
// Source: Slurm's topology guide and topology.conf(5).

#include <vector>

#include "absl/status/statusor.h"
#include "lib/placement/baselines/baseline.h"

namespace muster::placement {

// In no particular order. FAILED_PRECONDITION: no placement found.
absl::StatusOr<Nodes> SlurmNodes(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job);

}  // namespace muster::placement
