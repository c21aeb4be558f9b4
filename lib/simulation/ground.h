#pragma once
// The simulated nodes: who has them, which are down, and what that comes to. Each change is O(1).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/placement/cluster.h"

namespace muster::simulation {

class Ground {
 public:
  explicit Ground(placement::Cluster cluster)
      : cluster_(std::move(cluster)), taken_(cluster_.topology->domains().size()), total_(taken_.size()) {
    for (int32_t i = 0; i < cluster_.topology->size(); ++i) {
      const size_t home = cluster_.topology->HomeOf(NodeIndex(i)).value();
      ++total_[home];
      if (!cluster_.Available(NodeIndex(i))) ++taken_[home];
      available_ += cluster_.Available(NodeIndex(i));
    }
  }

  const placement::Cluster& cluster() const { return cluster_; }
  int64_t size() const { return cluster_.topology->size(); }
  int64_t available() const { return available_; }
  int64_t busy() const { return busy_; }
  int64_t down() const { return down_; }
  // Free nodes in finest domains of which others are in use or down.
  int64_t broken() const { return broken_; }

  void Take(NodeIndex node) { Set(node, false, cluster_.state_of(node).ok); }
  void Free(NodeIndex node) { Set(node, true, cluster_.state_of(node).ok); }
  void Fail(NodeIndex node) { Set(node, cluster_.state_of(node).free, false); }
  void Mend(NodeIndex node) { Set(node, cluster_.state_of(node).free, true); }

 private:
  void Set(NodeIndex node, bool free, bool ok) {
    placement::NodeState& state = cluster_.state_of(node);
    const size_t home = cluster_.topology->HomeOf(node).value();
    const bool before = state.free && state.ok, after = free && ok;
    busy_ += int{state.free} - int{free};
    down_ += int{state.ok} - int{ok};
    state.free = free;
    state.ok = ok;
    if (before == after) return;
    broken_ -= BrokenIn(home);
    taken_[home] += after ? -1 : 1;
    available_ += after ? 1 : -1;
    broken_ += BrokenIn(home);
  }
  int64_t BrokenIn(size_t home) const { return taken_[home] == 0 ? 0 : total_[home] - taken_[home]; }

  placement::Cluster cluster_;
  std::vector<int64_t> taken_, total_;  // nodes by home
  int64_t available_ = 0, busy_ = 0, down_ = 0, broken_ = 0;
};

}  // namespace muster::simulation
