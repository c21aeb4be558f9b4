#pragma once
// A permutation between positions 0..size-1 and global ranks, for layouts that plain strides do not express: permuted
// or sparse ranks of a DeviceMesh or NamedSharding, and blocks that cut an axis unevenly.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/mesh/digits.h"

namespace muster::mesh {

// Position of a worker in its job's world, 0..world-1.
using GlobalRank = int64_t;

// Immutable; shared by all families and groups that use it.
class RankOrder {
 public:
  // position p -> base + OffsetAt(digits, p). O(digits) of memory; digits nested.
  static std::shared_ptr<const RankOrder> OfDigits(GlobalRank base, Digits digits);
  // position p -> ranks[p]: an explicit list. INVALID_ARGUMENT if a rank is negative or there twice.
  static absl::StatusOr<std::shared_ptr<const RankOrder>> OfRanks(std::vector<GlobalRank> ranks);

  int64_t size() const { return size_; }
  // 0 <= position < size().
  GlobalRank At(int64_t position) const;
  // nullopt for a rank that has no position. O(digits) or O(1); O(log size) for a list with wide gaps.
  absl::optional<int64_t> PositionOf(GlobalRank rank) const;

  // Whether the order is a list, which only a copy of the list expresses; else base() and digits() say all.
  bool is_list() const { return is_list_; }
  absl::Span<const GlobalRank> ranks() const { return ranks_; }
  GlobalRank base() const { return base_; }
  const Digits& digits() const { return digits_; }

  friend bool operator==(const RankOrder&, const RankOrder&) = default;

 private:
  RankOrder() = default;
  // Fills position_of_; false: a rank is negative, there twice, or far beyond the list's size.
  bool IndexDense(const std::vector<GlobalRank>& ranks);

  int64_t size_ = 0;
  bool is_list_ = false;
  GlobalRank base_ = 0;
  Digits digits_;
  std::vector<GlobalRank> ranks_;
  // Of a list, either of both: by rank, -1 where none is (most lists are of nearly all ranks); pairs ascending by rank.
  std::vector<int64_t> position_of_;
  std::vector<std::pair<GlobalRank, int64_t>> positions_;
};

}  // namespace muster::mesh
