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

absl::StatusOr<std::shared_ptr<const RankOrder>> RankOrder::OfRanks(std::vector<GlobalRank> ranks) {
  std::shared_ptr<RankOrder> order(new RankOrder);
  order->size_ = static_cast<int64_t>(ranks.size());
  order->is_list_ = true;
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
  const auto found = std::lower_bound(positions_.begin(), positions_.end(), std::pair<GlobalRank, int64_t>(rank, 0));
  if (found == positions_.end() || found->first != rank) return absl::nullopt;
  return found->second;
}

}  // namespace muster::mesh
