#pragma once
// A communication group as arithmetic: which global ranks talk to each other, without a list of them.
//
// Every family of Megatron, DeepSpeed, DeviceMesh and NamedSharding that is a product of axes is such a group: a base rank
// plus one (stride, size) pair an axis (see "strided group" in the guide). A group costs O(axes) integers whatever its size.

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"

namespace muster::mesh {

// Position of a worker in its job's world, 0..world-1.
using GlobalRank = int64_t;

// One digit of a mixed-radix number: `size` values, `stride` ranks apart. size >= 1.
struct Digit {
  int64_t stride = 0;
  int64_t size = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};
// Least significant first. Four axes are the common case.
using Digits = absl::InlinedVector<Digit, 4>;

// Member j is base + Σ digit_i(j) · stride_i, j written in mixed radix over `digits`, the first one least significant.
struct Group {
  GlobalRank base = 0;
  Digits digits;

  int64_t size() const;
  // 0 <= j < size().
  GlobalRank member(int64_t j) const;
  // Position of `rank` among the members; nullopt for a stranger. O(digits) where the digits are a grid's, never O(size).
  absl::optional<int64_t> IndexOf(GlobalRank rank) const;
  // The list, O(size): only for people and for tests.
  std::vector<GlobalRank> Members() const;

  friend bool operator==(const Group&, const Group&) = default;
};

}  // namespace muster::mesh
