#pragma once
// Muster's answer to an instance.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/placement/place.h"
#include "tests/benchmarks/placement/instance.h"

namespace muster::placement {

struct Answer {
  bool feasible = false;
  std::string reason;  // shape, capacity, required or slices, if infeasible
  std::vector<NodeIndex> units;
  std::vector<NodeIndex> spares;
  Score score;
  int64_t bound = 0;
  int64_t steps = 0;
  int64_t alternatives = 0;
};

Answer Solve(const Instance& instance, const SearchOptions& options);

// The solution file that the evaluator reads.
std::string SolutionJson(const Instance& instance, const Answer& answer);

}  // namespace muster::placement
