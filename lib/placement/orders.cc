#include "lib/placement/orders.h"

namespace muster::placement {
namespace {

std::vector<int64_t> PrimesOf(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) primes.push_back(p);
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

}  // namespace

std::vector<int32_t> UnitsAlong(const std::vector<Dimension>& dims, const Order& order, bool winding) {
  std::vector<int64_t> reached(dims.size(), 1);
  std::vector<int32_t> unit_at = {0};
  for (const OrderStep& step : order) {
    const int64_t stride = dims[step.dim].stride * reached[step.dim];
    reached[step.dim] *= step.factor;
    const size_t tile = unit_at.size();
    unit_at.resize(tile * static_cast<size_t>(step.factor));
    for (size_t copy = 1; copy < static_cast<size_t>(step.factor); ++copy) {
      const auto shift = static_cast<int32_t>(static_cast<int64_t>(copy) * stride);
      for (size_t i = 0; i < tile; ++i) {
        unit_at[copy * tile + i] = unit_at[winding && copy % 2 == 1 ? tile - 1 - i : i] + shift;
      }
    }
  }
  return unit_at;
}

Order PlainOrder(const std::vector<Dimension>& dims) {
  Order order;
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const int64_t prime : PrimesOf(dims[d].size)) order.push_back({d, prime});
  }
  return order;
}

std::vector<int64_t> TilesOf(const Order& order) {
  std::vector<int64_t> tiles;
  int64_t size = 1;
  for (const OrderStep& step : order) tiles.push_back(size *= step.factor);
  return tiles;
}

bool KeepsBlocks(const std::vector<int32_t>& unit_at, int32_t block) {
  for (size_t place = 0; place < unit_at.size(); ++place) {
    if (unit_at[place] / block != unit_at[place - place % block] / block) return false;
  }
  return true;
}

}  // namespace muster::placement
