#pragma once
// A communication group as arithmetic: which global ranks talk to each other, without a list of them.
//
// Every family of Megatron, DeepSpeed, DeviceMesh and NamedSharding that is a product of axes is such a group: a base
// rank plus one (stride, size) pair an axis. A group costs O(axes) integers whatever its size.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "lib/mesh/digits.h"
#include "lib/mesh/rank_order.h"

namespace muster::mesh {

// Member j is base + Σ digit_i(j) · stride_i, j written in mixed radix over `digits`, the first one least significant.
// With an `order` that sum is a position, and the member is the rank there.
struct Group {
  GlobalRank base = 0;
  Digits digits = {};
  std::shared_ptr<const RankOrder> order = nullptr;

  int64_t size() const { return CountOf(digits); }
  // 0 <= j < size().
  GlobalRank member(int64_t j) const;
  // Position of `rank` among the members; nullopt for a stranger. Never O(size).
  absl::optional<int64_t> IndexOf(GlobalRank rank) const;
  // The list, O(size): only for people and for tests.
  std::vector<GlobalRank> Members() const;

  friend bool operator==(const Group& a, const Group& b);
};

}  // namespace muster::mesh
