#include "lib/queue/horizon.h"

#include <algorithm>

namespace muster::queue {

Horizon::Horizon(const placement::Cluster& cluster, const std::vector<Holder>& holders, absl::Time now)
    : cluster_(cluster),
      now_(now),
      free_(cluster.states.size()),
      from_(cluster.states.size(), absl::InfiniteFuture()),
      until_(cluster.states.size(), absl::InfiniteFuture()) {
  int64_t free = 0;
  for (size_t i = 0; i < free_.size(); ++i) {
    free_[i] = cluster.Available(NodeIndex(static_cast<int32_t>(i)));
    if (!free_[i]) continue;
    from_[i] = now;
    ++free;
  }
  for (const Holder& holder : holders) {
    for (const NodeIndex node : holder.nodes) {
      if (cluster.state_of(node).ok) from_[node.value()] = holder.leaving ? now : std::max(holder.ends, now);
    }
  }
  counts_[absl::InfiniteFuture()] = free;
}

void Horizon::Take(const std::vector<NodeIndex>& nodes, absl::Time ends) {
  for (const NodeIndex node : nodes) {
    const size_t i = node.value();
    if (free_[i]) --counts_[until_[i]];
    free_[i] = false;
    // Reserved from a later time on, it stays so.
    if (until_[i] == absl::InfiniteFuture()) from_[i] = ends;
  }
}

void Horizon::Release(const std::vector<NodeIndex>& nodes) {
  for (const NodeIndex node : nodes) {
    if (cluster_.state_of(node).ok && until_[node.value()] == absl::InfiniteFuture()) from_[node.value()] = now_;
  }
}

int64_t Horizon::CountFree(absl::Time ends) const {
  int64_t count = 0;
  for (auto at = counts_.lower_bound(ends); at != counts_.end(); ++at) count += at->second;
  return count;
}

NodeSet Horizon::FreeFor(const Demand& demand, absl::Time ends) const {
  NodeSet nodes(free_.size());
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = free_[i] && until_[i] >= ends && demand.eligible()[i];
  return nodes;
}

NodeSet Horizon::Free(const Demand& demand) const {
  NodeSet nodes(free_.size());
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = free_[i] && demand.eligible()[i];
  return nodes;
}

NodeSet Horizon::FreeBy(const Demand& demand, absl::Time by) const {
  NodeSet nodes(free_.size());
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = from_[i] <= by && demand.eligible()[i];
  return nodes;
}

NodeSet Horizon::FreeAt(const Demand& demand, DomainIndex domain, absl::Time at) const {
  const Topology& topology = *cluster_.topology;
  const Domain& d = topology.domain(domain);
  NodeSet nodes(free_.size());
  for (int32_t i = d.first_node; i < d.last_node; ++i) {
    const size_t node = topology.tree_order()[i].value();
    nodes[node] = from_[node] <= at && demand.eligible()[node];
  }
  return nodes;
}

absl::Time Horizon::EarliestIn(const Demand& demand, DomainIndex domain) const {
  const Topology& topology = *cluster_.topology;
  const Domain& d = topology.domain(domain);
  std::vector<absl::Time> times;
  times.reserve(d.size());
  for (int32_t i = d.first_node; i < d.last_node; ++i) {
    const size_t node = topology.tree_order()[i].value();
    if (demand.eligible()[node] && from_[node] != absl::InfiniteFuture()) times.push_back(from_[node]);
  }
  if (static_cast<int64_t>(times.size()) < demand.nodes()) return absl::InfiniteFuture();
  if (!demand.ruled()) {
    const auto last = times.begin() + (demand.nodes() - 1);
    std::nth_element(times.begin(), last, times.end());
    return *last;
  }
  // What is free only grows with time.
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto fits = std::partition_point(
      times.begin(), times.end(), [&](absl::Time at) { return !demand.FitsIn(domain, FreeAt(demand, domain, at)); });
  return fits == times.end() ? absl::InfiniteFuture() : *fits;
}

void Horizon::Keep(size_t node, absl::Time until) {
  if (until >= until_[node]) return;
  if (free_[node]) {
    --counts_[until_[node]];
    ++counts_[until];
  }
  until_[node] = until;
}

absl::Time Horizon::Reserve(const Demand& demand, absl::Duration duration) {
  const Topology& topology = *cluster_.topology;
  absl::Time earliest = absl::InfiniteFuture();
  DomainIndex where = Topology::root();
  for (const DomainIndex domain : demand.domains()) {
    const absl::Time at = EarliestIn(demand, domain);
    if (at >= earliest) continue;
    earliest = at;
    where = domain;
  }
  if (earliest == absl::InfiniteFuture()) {
    for (const DomainIndex domain : demand.domains()) {
      const Domain& d = topology.domain(domain);
      for (int32_t i = d.first_node; i < d.last_node; ++i) {
        const size_t node = topology.tree_order()[i].value();
        if (!demand.eligible()[node]) continue;
        // Where it would still be on the node when one ahead takes it, it comes after that one anyway.
        if (until_[node] >= now_ + duration) Keep(node, absl::InfinitePast());
        from_[node] = absl::InfiniteFuture();
      }
    }
    return earliest;
  }
  std::vector<size_t> nodes;
  const NodeSet usable = FreeAt(demand, where, earliest);
  for (size_t i = 0; i < usable.size(); ++i) {
    if (usable[i]) nodes.push_back(i);
  }
  // Any of them do, unless slices ask for more; those that come free last are of the least use to others until then.
  if (!demand.ruled()) {
    std::nth_element(nodes.begin(), nodes.begin() + (demand.nodes() - 1), nodes.end(), [&](size_t a, size_t b) {
      if (free_[a] != free_[b]) return !free_[a];
      return from_[a] != from_[b] ? from_[a] > from_[b] : a < b;
    });
    nodes.resize(demand.nodes());
  }
  for (const size_t node : nodes) {
    Keep(node, earliest);
    from_[node] = earliest + duration;
  }
  return earliest;
}

}  // namespace muster::queue
