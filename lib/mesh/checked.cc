#include "lib/mesh/checked.h"

#include <numeric>

namespace muster::mesh {

absl::optional<int64_t> CheckedProduct(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return absl::nullopt;
  }
  return product;
}

absl::optional<int64_t> CheckedLcm(int64_t a, int64_t b) { return CheckedProduct({a / std::gcd(a, b), b}); }

}  // namespace muster::mesh
