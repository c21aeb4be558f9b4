#pragma once
// Many deadlines, few timers: keys fall into buckets of a fixed width and come out when their bucket has passed, never
// early and at most one width late. Nothing is ever taken out before its time: the owner looks, when a key comes out,
// whether it still means anything, and puts it back if its deadline has moved.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace muster::core {

template <typename Key>
class DeadlineWheel {
 public:
  explicit DeadlineWheel(absl::Duration width) : width_(width) {}

  // O(log buckets).
  void Add(absl::Time at, Key key) { buckets_[BucketOf(at)].push_back(std::move(key)); }

  // InfiniteFuture: empty.
  absl::Time Next() const {
    return buckets_.empty() ? absl::InfiniteFuture() : absl::UnixEpoch() + width_ * (buckets_.begin()->first + 1);
  }

  // Keys whose bucket has passed, earliest bucket first, in the order they were added.
  std::vector<Key> Due(absl::Time now) {
    std::vector<Key> due;
    while (Next() <= now) {
      auto& keys = buckets_.begin()->second;
      std::move(keys.begin(), keys.end(), std::back_inserter(due));
      buckets_.erase(buckets_.begin());
    }
    return due;
  }

 private:
  int64_t BucketOf(absl::Time at) const { return absl::IDivDuration(at - absl::UnixEpoch(), width_, &rest_); }

  const absl::Duration width_;
  mutable absl::Duration rest_;
  std::map<int64_t, std::vector<Key>> buckets_;
};

}  // namespace muster::core
