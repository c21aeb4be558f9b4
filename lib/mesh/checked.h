#pragma once
// Products of sizes that a user wrote: anything up to 2^63.

#include <cstdint>
#include <initializer_list>

#include "absl/types/optional.h"

namespace muster::mesh {

// nullopt if the product passes 2^63-1. Precondition: none negative.
absl::optional<int64_t> CheckedProduct(std::initializer_list<int64_t> factors);

// Least common multiple of two positive numbers; nullopt if it passes 2^63-1.
absl::optional<int64_t> CheckedLcm(int64_t a, int64_t b);

}  // namespace muster::mesh
