#pragma once
// Long polls that wait for something to happen to a member of a gang: found by member, by job, by call or by age.
// All in O(log n) a call, and without a timer each. Loop only.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "server/core/deadline_wheel.h"
#include "server/core/keys.h"

namespace muster::core {

// `Call` has: CallId id; JobKey job; PodIndex index; absl::Time expires.
template <typename Call>
class HeldCalls {
 public:
  void Add(Call call) {
    const CallId id = call.id;
    by_member_.insert({call.job, call.index, id});
    expiry_.Add(call.expires, id);
    calls_.emplace(id, std::move(call));
  }

  std::optional<Call> Take(CallId id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return std::nullopt;
    Call call = std::move(found->second);
    calls_.erase(found);
    by_member_.erase({call.job, call.index, id});
    return call;
  }

  // Those whose poll is over.
  std::vector<Call> TakeExpired(absl::Time now) {
    std::vector<Call> expired;
    for (CallId id : expiry_.Due(now))
      if (std::optional<Call> call = Take(id)) expired.push_back(*std::move(call));
    return expired;
  }
  absl::Time NextExpiry() const { return calls_.empty() ? absl::InfiniteFuture() : expiry_.Next(); }

  // In the order of arrival.
  std::vector<CallId> OfMember(JobKey job, PodIndex index) const {
    return Range({job, index, 0}, {job, Next(index), 0});
  }
  // By index, then arrival.
  std::vector<CallId> OfJob(JobKey job) const {
    return Range({job, PodIndex(INT32_MIN), 0}, {job + 1, PodIndex(INT32_MIN), 0});
  }
  const Call* Look(CallId id) const {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : &found->second;
  }
  size_t size() const { return calls_.size(); }

 private:
  using Place = std::tuple<JobKey, PodIndex, CallId>;
  static PodIndex Next(PodIndex index) { return PodIndex(index.value() + 1); }
  std::vector<CallId> Range(const Place& from, const Place& to) const {
    std::vector<CallId> ids;
    for (auto i = by_member_.lower_bound(from); i != by_member_.end() && *i < to; ++i) ids.push_back(std::get<2>(*i));
    return ids;
  }

  absl::flat_hash_map<CallId, Call> calls_;
  std::set<Place> by_member_;
  DeadlineWheel<CallId> expiry_{absl::Milliseconds(100)};
};

}  // namespace muster::core
