#pragma once
// Orders in which to lay units along a row of nodes: the dimensions of the mesh nested and tiled in every useful way.
//
// In plain order a pipeline's stages are far apart and its replicas near; tiled, a rack holds a block of both. An order
// deals the prime factors of the dimensions out, finest first: cp 2, pp 2, dp 2, pp 2, ... makes tiles of tiles.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/placement/dimensions.h"

namespace muster::placement {

struct OrderStep {
  size_t dim = 0;
  int64_t factor = 2;
  friend bool operator==(const OrderStep&, const OrderStep&) = default;
};
// Finest first; the factors of each dimension multiply to its size.
using Order = std::vector<OrderStep>;

// The unit at each place. A winding order runs back and forth (a mixed-radix Gray code), so that neighbouring places
// stay neighbours in the mesh where a tile ends.
std::vector<int32_t> UnitsAlong(const std::vector<Dimension>& dims, const Order& order, bool winding);

// The plain order, one dimension after the other.
Order PlainOrder(const std::vector<Dimension>& dims);

// Sizes of an order's tiles, ascending.
std::vector<int64_t> TilesOf(const Order& order);

// Whether every `block` consecutive places from 0 on hold `block` consecutive units from a multiple of it on: what a
// slice needs.
bool KeepsBlocks(const std::vector<int32_t>& unit_at, int32_t block);

}  // namespace muster::placement
