#pragma once
// The orders whose tiles fit the counts that domains take, best first.
//
// Orders are paths in the lattice of tiles, from one unit to all of them, each step a prime factor of one dimension. A
// domain of s units holds, between two tiles of the path, s / t whole tiles t; what leaves those is known in closed
// form (a box in a product graph), and it matters as much as the border that the domain has. The sum over all domains
// is additive along the path, so that the best paths come from dynamic programming over the lattice: some hundred boxes
// instead of some hundred thousand orders.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/placement/dimensions.h"
#include "lib/placement/orders.h"

namespace muster::placement {

// Some domain takes `units`, and what leaves it costs so much a same-rail and a cross-rail hop.
struct TileGoal {
  int64_t units = 1;
  int64_t same = 0;
  int64_t cross = 0;
};

// At most `count`, cheapest first, all distinct; the plain order is always one. Only orders that keep blocks of all
// `blocks` sizes (orders.h).
std::vector<Order> BestOrders(const Dimensions& dimensions, const std::vector<TileGoal>& goals,
                              const std::vector<int32_t>& blocks, size_t count);

}  // namespace muster::placement
