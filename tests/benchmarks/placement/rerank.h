#pragma once
// What moving ranks alone gains: another scheduler's choice of nodes kept, the ranks laid anew over them.

#include <cstdint>

#include "absl/types/optional.h"
#include "lib/placement/baselines/baseline.h"
#include "lib/placement/place.h"
#include "tests/benchmarks/placement/instance.h"

namespace muster::placement {

struct Reranked {
  int64_t theirs = 0;  // traffic with the rule's own order of ranks
  int64_t ours = 0;    // the same nodes, ranks laid by the traffic
};

// nullopt: the rule finds no valid placement, or it's a repair.
absl::optional<Reranked> Rerank(const Instance& instance, Baseline rule, const SearchOptions& options);

}  // namespace muster::placement
