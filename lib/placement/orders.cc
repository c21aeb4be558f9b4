#include "lib/placement/orders.h"

#include <algorithm>

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
  std::vector<int64_t> strides;  // of each step, in units
  std::vector<int64_t> reached(dims.size(), 1);
  int64_t units = 1;
  for (const OrderStep& step : order) {
    strides.push_back(dims[step.dim].stride * reached[step.dim]);
    reached[step.dim] *= step.factor;
    units *= step.factor;
  }
  std::vector<int32_t> unit_at(units);
  for (int64_t place = 0; place < units; ++place) {
    int64_t above = place;
    int64_t unit = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      int64_t digit = above % order[i].factor;
      above /= order[i].factor;
      if (winding && above % 2 == 1) digit = order[i].factor - 1 - digit;
      unit += digit * strides[i];
    }
    unit_at[place] = static_cast<int32_t>(unit);
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

void ForEachOrder(const std::vector<Dimension>& dims, size_t limit, const std::function<bool(const Order&)>& use) {
  // Permutations of a multiset in lexicographic order; the plain order is the least.
  Order order = PlainOrder(dims);
  for (size_t out = 0; out < limit; ++out) {
    if (!use(order)) return;
    if (!std::next_permutation(order.begin(), order.end())) return;
  }
}

int64_t CountOrders(const std::vector<Dimension>& dims, int64_t most) {
  // n! over the factorials of the repetitions, as a product of binomials.
  const Order order = PlainOrder(dims);
  double count = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    count *= static_cast<double>(i + 1);
    count /= static_cast<double>(std::count(order.begin(), order.begin() + static_cast<int64_t>(i) + 1, order[i]));
  }
  return count > static_cast<double>(most) ? most : static_cast<int64_t>(count + 0.5);
}

bool KeepsBlocks(const std::vector<int32_t>& unit_at, int32_t block) {
  for (size_t place = 0; place < unit_at.size(); ++place) {
    if (unit_at[place] / block != unit_at[place - place % block] / block) return false;
  }
  return true;
}

}  // namespace muster::placement
