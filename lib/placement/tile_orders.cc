#include "lib/placement/tile_orders.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace muster::placement {
namespace {

// One digit of the count along the places: `size` steps of `stride` units.
struct Part {
  int64_t stride = 1;
  int64_t size = 1;
  friend bool operator<(const Part& a, const Part& b) {
    return a.stride != b.stride ? a.stride < b.stride : a.size < b.size;
  }
};
using Nesting = std::vector<Part>;  // fastest first

std::vector<int32_t> UnitsAlong(const Nesting& nesting, int32_t units) {
  std::vector<int32_t> unit_at = {0};
  unit_at.reserve(units);
  for (const Part& part : nesting) {
    const size_t before = unit_at.size();
    for (int64_t i = 1; i < part.size; ++i) {
      for (size_t j = 0; j < before; ++j) unit_at.push_back(static_cast<int32_t>(unit_at[j] + i * part.stride));
    }
  }
  return unit_at;
}

std::vector<int64_t> PrimesOf(int64_t number) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p * p <= number; ++p) {
    for (; number % p == 0; number /= p) primes.push_back(p);
  }
  if (number > 1) primes.push_back(number);
  return primes;
}

// The dimensions as parts, fastest first, without those of size 1.
Nesting DimensionsOf(const std::vector<int64_t>& strides, int32_t units) {
  Nesting dimensions;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t end = i + 1 < strides.size() ? strides[i + 1] : units;
    if (end > units || units % end != 0 || end % strides[i] != 0) return {{1, units}};
    if (end > strides[i]) dimensions.push_back({strides[i], end / strides[i]});
  }
  return dimensions;
}

class Lister {
 public:
  Lister(int32_t units, int limit, const std::function<bool(const std::vector<int32_t>&)>& use)
      : units_(units), left_(limit), use_(use) {}

  bool done() const { return left_ <= 0; }

  void Emit(Nesting nesting) {
    nesting.erase(std::remove_if(nesting.begin(), nesting.end(), [](const Part& part) { return part.size == 1; }),
                  nesting.end());
    // Parts that continue each other are one.
    for (size_t i = 1; i < nesting.size();) {
      if (nesting[i].stride == nesting[i - 1].stride * nesting[i - 1].size) {
        nesting[i - 1].size *= nesting[i].size;
        nesting.erase(nesting.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (done() || !seen_.insert(nesting).second) return;
    left_ = use_(UnitsAlong(nesting, units_)) ? left_ - 1 : 0;
  }

  // All ways to take the parts of all dimensions, each dimension's in its own order.
  void Interleave(const std::vector<Nesting>& dimensions, std::vector<size_t>& next, Nesting& nesting) {
    if (done()) return;
    bool any = false;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (next[d] == dimensions[d].size()) continue;
      any = true;
      nesting.push_back(dimensions[d][next[d]++]);
      Interleave(dimensions, next, nesting);
      --next[d];
      nesting.pop_back();
    }
    if (!any) Emit(nesting);
  }

  // Inner parts of all dimensions, then their outer parts, in one order of the dimensions.
  void Split(const Nesting& dimensions, const std::vector<size_t>& order, size_t at, Nesting& inner, Nesting& outer) {
    if (done()) return;
    if (at == order.size()) {
      Nesting nesting = inner;
      nesting.insert(nesting.end(), outer.begin(), outer.end());
      Emit(std::move(nesting));
      return;
    }
    const Part& whole = dimensions[order[at]];
    for (int64_t cut = 1; cut <= whole.size; ++cut) {
      if (whole.size % cut != 0) continue;
      inner.push_back({whole.stride, cut});
      outer.push_back({whole.stride * cut, whole.size / cut});
      Split(dimensions, order, at + 1, inner, outer);
      inner.pop_back();
      outer.pop_back();
    }
  }

 private:
  const int32_t units_;
  int left_;
  const std::function<bool(const std::vector<int32_t>&)>& use_;
  std::set<Nesting> seen_;
};

}  // namespace

void ForEachTileOrder(const std::vector<int64_t>& strides, int32_t units, int limit,
                      const std::function<bool(const std::vector<int32_t>& unit_at)>& use) {
  Lister lister(units, limit, use);
  lister.Emit({{1, units}});
  const Nesting dimensions = DimensionsOf(strides, units);
  // Whole dimensions in every order come first: they are few and often the best.
  std::vector<size_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (dimensions.size() <= 5) {
    do {
      Nesting nesting;
      for (const size_t d : order) nesting.push_back(dimensions[d]);
      lister.Emit(std::move(nesting));
    } while (!lister.done() && std::next_permutation(order.begin(), order.end()));
  }
  double ways = 1;
  int parts = 0;
  std::vector<Nesting> primes(dimensions.size());
  for (size_t d = 0; d < dimensions.size(); ++d) {
    int64_t stride = dimensions[d].stride;
    int own = 0;
    for (const int64_t prime : PrimesOf(dimensions[d].size)) {
      primes[d].push_back({stride, prime});
      stride *= prime;
      ways = ways * ++parts / ++own;
    }
  }
  if (ways <= 4.0 * limit) {
    std::vector<size_t> next(dimensions.size());
    Nesting nesting;
    lister.Interleave(primes, next, nesting);
  }
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    Nesting inner;
    Nesting outer;
    lister.Split(dimensions, order, 0, inner, outer);
  } while (!lister.done() && dimensions.size() <= 5 && std::next_permutation(order.begin(), order.end()));
}

}  // namespace muster::placement
