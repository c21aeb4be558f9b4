#pragma once
// What the borders of domains cost at least: least boundaries times the step in hop cost at each border.

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/placement/dimensions.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/least_boundary.h"
#include "lib/placement/slices.h"
#include "lib/placement/traffic.h"

namespace muster::placement {

// A hop between two units costs what the finest tier costs, and for each border that it crosses on the way out of its
// own domains the step from the tier within to the tier outside; each end pays half. So the cost of a placement is a
// sum over domains of half the step times the traffic that leaves the units inside. Without traffic, what counts is how
// many domains are touched, coarse tiers first.
//
// Where slices must not be cut, only sets of whole slices are inside a domain: the least boundary is then that of the
// graph with each slice drawn together to a point.
class BorderCosts {
 public:
  // Keeps references. `rules` coarse to fine, each size a multiple of the next one's (slices.h).
  BorderCosts(const UnitTraffic& traffic, int32_t units, const HopCosts& costs, int tiers,
              std::vector<SliceRule> rules);

  const Dimensions& dimensions() const { return dimensions_; }
  // Entry s: twice the least cost of s units at the border of a domain of tier `inner` within one of tier `outer`; of
  // whole slices, where the domain can't cut them. kInside: less what these units would cost there if all that they
  // send left (least_boundary.h).
  const std::vector<int64_t>& At(Border border, int outer, int inner);
  // What is to be added to half the sum of borders for a gang in one domain of `tier` (kNoTier: anywhere).
  int64_t Base(Border border, int tier) const;
  // Whether the two ways say the same of any set: all units send equally much.
  bool regular() const { return regular_; }

 private:
  // Units that can't be parted in a domain of the tier.
  int32_t BlockOf(int tier) const;
  void AddInsideBlocks(int32_t block, int64_t same, int64_t cross, std::vector<int64_t>& border) const;
  std::vector<int64_t> Spread(int outer, int inner) const;

  const UnitTraffic& traffic_;
  int32_t units_;
  const HopCosts& costs_;
  int tiers_;
  std::vector<SliceRule> rules_;
  Dimensions dimensions_;
  bool cross_rail_ = false;
  bool regular_ = true;
  std::map<int32_t, Dimensions> drawn_together_;  // by block
  // Least boundaries by block and by the steps over their common divisor.
  std::map<std::tuple<Border, int32_t, int64_t, int64_t>, std::vector<int64_t>> shapes_;
  std::map<std::tuple<Border, int, int>, std::vector<int64_t>> borders_;
};

}  // namespace muster::placement
