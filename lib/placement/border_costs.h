#pragma once
// What the borders of domains cost at least: least boundaries times the step in hop cost at each border.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lib/placement/dimensions.h"
#include "lib/placement/hop_cost.h"

namespace muster::placement {

// A hop between two units costs what the finest tier costs, and for each border that it crosses on the way out of its
// own domains the step from the tier within to the tier outside; each end pays half. So the cost of a placement is a
// sum over domains of half the step times the traffic that leaves the units inside. Without traffic, what counts is how
// many domains are touched, coarse tiers first.
class BorderCosts {
 public:
  // For gangs of up to `most` units in one domain. Keeps references.
  BorderCosts(const Dimensions& dimensions, const HopCosts& costs, int tiers, int64_t most)
      : dimensions_(dimensions), costs_(costs), tiers_(tiers), most_(most) {}

  // Entry s: twice the least cost of s units at the border of a domain of tier `inner` within one of tier `outer`.
  const std::vector<int64_t>& At(int outer, int inner);
  // The cost of all hops at the finest tier's cost.
  int64_t Base(const std::vector<UnitEdge>& edges) const;

 private:
  std::vector<int64_t> Spread(int outer, int inner) const;

  const Dimensions& dimensions_;
  const HopCosts& costs_;
  int tiers_;
  int64_t most_;
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> shapes_;  // by the steps over their common divisor
  std::map<std::pair<int, int>, std::vector<int64_t>> borders_;
};

}  // namespace muster::placement
