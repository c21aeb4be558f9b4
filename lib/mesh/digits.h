#pragma once
// Mixed-radix arithmetic over (stride, size) digits: the whole of rank mathematics rests on it.
//
// A list of digits is *nested* if, taken by growing stride, each stride exceeds the largest sum of the digits below it.
// Everything cut from a grid is nested; for nested digits a sum determines its digits. All functions are O(digits).

#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"

namespace muster::mesh {

// One digit of a mixed-radix number: `size` values, `stride` ranks apart. size >= 1. A negative or zero stride is legal
// in a group of its own (a ring's last pair goes back to the first stage), never inside a family's layout.
struct Digit {
  int64_t stride = 0;
  int64_t size = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};
// Least significant first. Four axes are the common case.
using Digits = absl::InlinedVector<Digit, 4>;

// How many numbers the digits write: the product of the sizes. Precondition: it fits, as it does for parts of a grid.
int64_t CountOf(const Digits& digits);

// Σ digit_i(index) · stride_i, for 0 <= index < CountOf(digits).
int64_t OffsetAt(const Digits& digits, int64_t index);

// The inverse of OffsetAt, for nested digits; nullopt if no index has this offset.
absl::optional<int64_t> IndexAt(const Digits& digits, int64_t offset);

// The digits of `index`, one value a digit.
using DigitValues = absl::InlinedVector<int64_t, 8>;
DigitValues ValuesAt(const Digits& digits, int64_t index);

// The digit values whose sum is `offset`, in the order of `digits`; nullopt if there are none. Digits nested.
absl::optional<DigitValues> ValuesOf(const Digits& digits, int64_t offset);

// Cuts an index into low = index mod `count` and high = index div `count`, each with its own digits. nullopt if that
// needs more than strides (the cut falls inside a digit unevenly). Neighbours that continue each other count as one
// digit.
absl::optional<std::pair<Digits, Digits>> SplitAt(const Digits& digits, int64_t count);

// The digits without those of size 1, neighbours that continue each other (stride · size = next stride) joined.
Digits Joined(const Digits& digits);

// The digits without those of size 1.
Digits Trimmed(const Digits& digits);

}  // namespace muster::mesh
