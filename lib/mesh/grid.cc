#include "lib/mesh/grid.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::Status CheckNames(absl::Span<const Axis> axes) {
  if (axes.size() > kMaxAxes) {
    return Refuse("too_many_axes", absl::StrCat("axes: ", axes.size(), " given, a grid has at most ", kMaxAxes));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name.empty()) return Refuse("axis_names_invalid", absl::StrCat("axes[", i, "]: has no name"));
    for (size_t j = 0; j < i; ++j) {
      if (axes[j].name != axes[i].name) continue;
      return Refuse("axis_names_invalid",
                    absl::StrCat("axes[", i, "]: '", axes[i].name, "' is already axes[", j, "]; name each axis once"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Grid> Grid::Create(std::vector<Axis> axes, GlobalRank offset, std::shared_ptr<const RankOrder> order) {
  if (absl::Status names = CheckNames(axes); !names.ok()) return names;
  if (offset < 0) return Refuse("rank_offset_negative", absl::StrCat("rank_offset: ", offset, " is negative"));
  Grid grid;
  for (const Axis& axis : axes) {
    if (axis.size < 1) return Refuse("zero_size", absl::StrCat(axis.name, ": ", axis.size, " is not at least 1"));
    if (axis.size > (std::numeric_limits<int64_t>::max() - offset) / grid.world_) {
      return Refuse("grid_too_big",
                    absl::StrCat(axis.name, ": ", axis.size, " times the ", grid.world_,
                                 " ranks of the axes before it, counted from rank ", offset, ", passes 2^63-1"));
    }
    grid.digits_.push_back({grid.world_, axis.size});
    grid.world_ *= axis.size;
  }
  if (order && (order->size() != grid.world_ || offset != 0)) {
    return Refuse("order_size", absl::StrCat("the rank order has ", order->size(), " ranks for a grid of ", grid.world_,
                                             " with offset ", offset));
  }
  grid.axes_ = std::move(axes);
  grid.offset_ = offset;
  grid.order_ = std::move(order);
  return grid;
}

absl::optional<size_t> Grid::Find(absl::string_view axis) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == axis) return i;
  }
  return absl::nullopt;
}

AxisSet Grid::Select(absl::Span<const absl::string_view> axes) const {
  AxisSet set;
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), axes_[i].name) != axes.end()) set.set(i);
  }
  return set;
}

absl::optional<int64_t> Grid::PositionOf(GlobalRank rank) const {
  if (order_) return order_->PositionOf(rank);
  if (rank < offset_ || rank - offset_ >= world_) return absl::nullopt;
  return rank - offset_;
}

int64_t Grid::Coordinate(GlobalRank rank, size_t axis) const {
  const absl::optional<int64_t> position = PositionOf(rank);
  return position ? (*position / digits_[axis].stride) % digits_[axis].size : 0;
}

GlobalRank Grid::RankAt(absl::Span<const int64_t> coordinates) const {
  int64_t position = offset_;
  for (size_t i = 0; i < coordinates.size() && i < digits_.size(); ++i) position += coordinates[i] * digits_[i].stride;
  return order_ ? order_->At(position) : position;
}

Group Grid::GroupOf(GlobalRank rank, AxisSet axes) const {
  const int64_t position = PositionOf(rank).value_or(0);
  Group group{.base = offset_ + position, .digits = DigitsOf(axes), .order = order_};
  for (const Digit& digit : group.digits) group.base -= ((position / digit.stride) % digit.size) * digit.stride;
  return group;
}

Digits Grid::DigitsOf(AxisSet axes) const {
  Digits digits;
  for (size_t i = 0; i < digits_.size(); ++i) {
    if (axes.test(i) && digits_[i].size != 1) digits.push_back(digits_[i]);
  }
  return digits;
}

}  // namespace muster::mesh
