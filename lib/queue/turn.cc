#include "lib/queue/turn.h"

#include <algorithm>
#include <tuple>

namespace muster::queue {
namespace {

// Jobs of one namespace in a run of equal priority, by key.
struct Lane {
  std::vector<size_t> jobs;
  size_t next = 0;
  int64_t nodes = 0;
  int64_t weight = 1;

  bool done() const { return next == jobs.size(); }
};

// a.nodes / a.weight < b.nodes / b.weight, exactly.
bool HasLess(const Lane& a, const Lane& b) {
  return static_cast<__int128>(a.nodes) * b.weight < static_cast<__int128>(b.nodes) * a.weight;
}

// Deals out one run of equal priority. `keys` by entry.
class Dealer {
 public:
  Dealer(const std::vector<Entry>& entries, const std::vector<absl::Time>& keys, const Policy& policy,
         std::map<std::string, int64_t>& held)
      : entries_(entries), keys_(keys), policy_(policy), held_(held) {}

  void Deal(const size_t* begin, const size_t* end, std::vector<size_t>& order) {
    std::map<std::string, Lane> lanes;
    for (const size_t* at = begin; at != end; ++at) lanes[entries_[*at].turn->ns].jobs.push_back(*at);
    for (auto& [ns, lane] : lanes) {
      const auto held = held_.find(ns);
      lane.nodes = held == held_.end() ? 0 : held->second;
      lane.weight = std::max<int64_t>(1, policy_.ShareOf(ns));
    }
    for (int64_t left = end - begin; left > 0; --left) {
      Lane& lane = Next(lanes);
      const size_t job = lane.jobs[lane.next++];
      lane.nodes += entries_[job].nodes;
      order.push_back(job);
    }
    for (auto& [ns, lane] : lanes) held_[ns] = lane.nodes;
  }

 private:
  Lane& Next(std::map<std::string, Lane>& lanes) {
    absl::Time first = absl::InfiniteFuture();
    for (const auto& [ns, lane] : lanes) {
      if (!lane.done()) first = std::min(first, keys_[lane.jobs[lane.next]]);
    }
    Lane* best = nullptr;
    for (auto& [ns, lane] : lanes) {
      if (lane.done() || keys_[lane.jobs[lane.next]] > first + policy_.ageing) continue;
      if (best == nullptr || HasLess(lane, *best) || (!HasLess(*best, lane) && Earlier(lane, *best))) best = &lane;
    }
    return *best;
  }

  bool Earlier(const Lane& a, const Lane& b) const {
    return GoesBefore(*entries_[a.jobs[a.next]].turn, *entries_[b.jobs[b.next]].turn, policy_);
  }

  const std::vector<Entry>& entries_;
  const std::vector<absl::Time>& keys_;
  const Policy& policy_;
  std::map<std::string, int64_t>& held_;
};

}  // namespace

absl::Time KeyOf(const Turn& turn, const Policy& policy) { return turn.submitted - turn.priority * policy.ageing; }

bool GoesBefore(const Turn& a, const Turn& b, const Policy& policy) {
  return std::forward_as_tuple(KeyOf(a, policy), a.sequence, a.uid) <
         std::forward_as_tuple(KeyOf(b, policy), b.sequence, b.uid);
}

std::vector<size_t> InOrder(const std::vector<Entry>& entries, const std::map<std::string, int64_t>& held,
                            const Policy& policy) {
  std::vector<absl::Time> keys(entries.size());
  std::vector<size_t> by_key(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    keys[i] = KeyOf(*entries[i].turn, policy);
    by_key[i] = i;
  }
  std::sort(by_key.begin(), by_key.end(), [&](size_t a, size_t b) {
    const Turn &left = *entries[a].turn, &right = *entries[b].turn;
    return std::tie(keys[a], left.sequence, left.uid) < std::tie(keys[b], right.sequence, right.uid);
  });
  std::map<std::string, int64_t> nodes = held;
  Dealer dealer(entries, keys, policy, nodes);
  std::vector<size_t> order;
  order.reserve(entries.size());
  for (size_t begin = 0; begin < by_key.size();) {
    size_t end = begin;
    while (end < by_key.size() && entries[by_key[end]].turn->priority == entries[by_key[begin]].turn->priority) ++end;
    dealer.Deal(by_key.data() + begin, by_key.data() + end, order);
    begin = end;
  }
  return order;
}

}  // namespace muster::queue
