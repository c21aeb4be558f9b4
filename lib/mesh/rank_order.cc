#include "lib/mesh/rank_order.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::mesh {

std::shared_ptr<const RankOrder> RankOrder::OfDigits(GlobalRank base, Digits digits) {
  std::shared_ptr<RankOrder> order(new RankOrder);
  order->size_ = CountOf(digits);
  order->base_ = base;
  order->digits_ = std::move(digits);
  return order;
}

bool RankOrder::IndexDense(const std::vector<GlobalRank>& ranks) {
  const int64_t size = static_cast<int64_t>(ranks.size());
  std::vector<int64_t> index(static_cast<size_t>(2 * size), -1);
  for (int64_t position = 0; position < size; ++position) {
    const GlobalRank rank = ranks[position];
    if (rank < 0 || rank >= 2 * size || index[rank] >= 0) return false;
    index[rank] = position;
  }
  position_of_ = std::move(index);
  return true;
}

absl::StatusOr<std::shared_ptr<const RankOrder>> RankOrder::OfRanks(std::vector<GlobalRank> ranks) {
  std::shared_ptr<RankOrder> order(new RankOrder);
  order->size_ = static_cast<int64_t>(ranks.size());
  order->is_list_ = true;
  if (order->IndexDense(ranks)) {
    order->ranks_ = std::move(ranks);
    return order;
  }
  order->positions_.reserve(ranks.size());
  for (int64_t position = 0; position < order->size_; ++position) {
    order->positions_.emplace_back(ranks[position], position);
  }
  std::sort(order->positions_.begin(), order->positions_.end());
  for (size_t i = 0; i < order->positions_.size(); ++i) {
    const auto& [rank, position] = order->positions_[i];
    if (rank < 0) {
      return absl::InvalidArgumentError(absl::StrCat("rank ", rank, " at position ", position, " is negative"));
    }
    if (i > 0 && order->positions_[i - 1].first == rank) {
      return absl::InvalidArgumentError(absl::StrCat("rank ", rank, " is listed twice, at positions ",
                                                     order->positions_[i - 1].second, " and ", position));
    }
  }
  order->ranks_ = std::move(ranks);
  return order;
}

GlobalRank RankOrder::At(int64_t position) const {
  return is_list() ? ranks_[position] : base_ + OffsetAt(digits_, position);
}

absl::optional<int64_t> RankOrder::PositionOf(GlobalRank rank) const {
  if (!is_list()) return rank < base_ ? absl::nullopt : IndexAt(digits_, rank - base_);
  if (positions_.empty()) {
    if (rank < 0 || rank >= static_cast<int64_t>(position_of_.size()) || position_of_[rank] < 0) return absl::nullopt;
    return position_of_[rank];
  }
  const auto found = std::lower_bound(positions_.begin(), positions_.end(), std::pair<GlobalRank, int64_t>(rank, 0));
  if (found == positions_.end() || found->first != rank) return absl::nullopt;
  return found->second;
}

}  // namespace muster::mesh
