#pragma once
// A grid of parallel axes: which coordinate a rank has on each axis, and which groups vary some axes and fix the rest.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/mesh/digits.h"
#include "lib/mesh/group.h"
#include "lib/mesh/rank_order.h"

namespace muster::mesh {

struct Axis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const Axis&, const Axis&) = default;
};

inline constexpr size_t kMaxAxes = 32;
// Some axes of one grid, by their place in it.
using AxisSet = std::bitset<kMaxAxes>;

// Axes are listed fastest first: neighbours on axes()[0] are neighbouring ranks. Immutable.
// rank = offset + Σ coordinate_i · stride_i, stride_i = product of the sizes before i (through `order`, if there is
// one).
class Grid {
 public:
  Grid() = default;  // no axes: the single rank 0
  // Refused with a rule of refusal.h: "zero_size" for a size below 1; "grid_too_big" if the product, or its sum with
  // `offset`, passes 2^63-1; "too_many_axes"; "axis_names_invalid" for an empty or repeated name;
  // "rank_offset_negative"; "order_size" if `order` has not one rank a position. `order` maps positions 0..world-1 to
  // ranks and needs offset 0.
  static absl::StatusOr<Grid> Create(std::vector<Axis> axes, GlobalRank offset = 0,
                                     std::shared_ptr<const RankOrder> order = nullptr);

  absl::Span<const Axis> axes() const { return axes_; }
  int64_t size(size_t axis) const { return axes_[axis].size; }
  int64_t stride(size_t axis) const { return digits_[axis].stride; }
  // One digit an axis, axes of size 1 included.
  const Digits& digits() const { return digits_; }
  GlobalRank offset() const { return offset_; }
  int64_t world() const { return world_; }
  const std::shared_ptr<const RankOrder>& order() const { return order_; }

  absl::optional<size_t> Find(absl::string_view axis) const;
  // The named axes; names that the grid lacks are left out, as an axis of size 1 would be.
  AxisSet Select(absl::Span<const absl::string_view> axes) const;

  bool Contains(GlobalRank rank) const { return PositionOf(rank).has_value(); }
  // Where the rank stands in the grid, 0..world()-1; nullopt outside of it.
  absl::optional<int64_t> PositionOf(GlobalRank rank) const;
  // Coordinate on one axis. Precondition: Contains(rank).
  int64_t Coordinate(GlobalRank rank, size_t axis) const;
  // Precondition: one coordinate an axis, each 0..size-1.
  GlobalRank RankAt(absl::Span<const int64_t> coordinates) const;
  // The group of `rank` over `axes`: it varies those and fixes the others. Precondition: Contains(rank).
  Group GroupOf(GlobalRank rank, AxisSet axes) const;
  // The digits of the axes in the set, fastest first, sizes of 1 left out.
  Digits DigitsOf(AxisSet axes) const;

 private:
  std::vector<Axis> axes_;
  Digits digits_;
  GlobalRank offset_ = 0;
  int64_t world_ = 1;
  std::shared_ptr<const RankOrder> order_;
};

}  // namespace muster::mesh
