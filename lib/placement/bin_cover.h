#pragma once
// Shares domains out to replicas: each replica gets whole domains that together hold it. Bin covering, by branch and
// bound over how many domains there are of each capacity.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::placement {

enum class Covered {
  kYes,
  kNo,       // proven
  kUnknown,  // the steps ran out
};

struct BinCover {
  Covered covered = Covered::kNo;
  // With kYes: for each of the bins the places of its items, ascending.
  std::vector<std::vector<size_t>> bins;
};

// Whether `bins` disjoint sets of items have a sum of at least `demand` each. A bin takes the fewest items that the
// search finds; equal items go in the order given. demand > 0. `steps`: branches looked at.
BinCover CoverBins(const std::vector<int32_t>& capacities, int32_t bins, int32_t demand, int64_t steps = 200'000);

}  // namespace muster::placement
