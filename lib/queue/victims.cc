#include "lib/queue/victims.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace muster::queue {
namespace {

// The knapsack is exact up to this many cells; beyond, jobs are taken by work lost a node.
constexpr int64_t kMaxCells = 50'000'000;

// A holder, and how many nodes that help it has in the domain looked at.
struct Candidate {
  size_t holder = 0;
  int64_t nodes = 0;
  int64_t lost = 0;
};

// Least Σ lost of a subset with Σ nodes ≥ needed; ties: fewer jobs, then earlier in the list. Precondition: all do.
std::vector<Candidate> LeastLost(const std::vector<Candidate>& candidates, int64_t needed) {
  using Value = std::pair<int64_t, int32_t>;  // lost, jobs
  constexpr Value kNever{std::numeric_limits<int64_t>::max(), 0};
  std::vector<Value> best(needed + 1, kNever);  // by nodes still needed
  best[0] = {0, 0};
  std::vector<std::vector<bool>> taken(candidates.size(), std::vector<bool>(needed + 1));
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (int64_t left = needed; left > 0; --left) {
      Value with = best[std::max<int64_t>(0, left - candidates[i].nodes)];
      if (with == kNever) continue;
      with = {with.first + candidates[i].lost, with.second + 1};
      if (with >= best[left]) continue;
      best[left] = with;
      taken[i][left] = true;
    }
  }
  std::vector<Candidate> chosen;
  int64_t left = needed;
  for (size_t i = candidates.size(); i-- > 0 && left > 0;) {
    if (!taken[i][left]) continue;
    chosen.push_back(candidates[i]);
    left = std::max<int64_t>(0, left - candidates[i].nodes);
  }
  return chosen;
}

// One domain's question.
class Chooser {
 public:
  Chooser(const Demand& demand, const placement::Cluster& cluster, const std::vector<Holder>& holders,
          DomainIndex domain, NodeSet usable)
      : demand_(demand), cluster_(cluster), holders_(holders), domain_(domain), usable_(std::move(usable)) {}

  // Empty: none would do.
  std::vector<Candidate> Choose(std::vector<Candidate> candidates, int64_t needed) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return static_cast<__int128>(a.lost) * b.nodes < static_cast<__int128>(b.lost) * a.nodes;
    });
    if (!demand_.ruled() && needed * static_cast<int64_t>(candidates.size()) <= kMaxCells)
      return LeastLost(candidates, needed);
    return Greedy(candidates);
  }

 private:
  bool FitsWith(const std::vector<Candidate>& chosen) const {
    NodeSet nodes = usable_;
    for (const Candidate& candidate : chosen) {
      for (const NodeIndex node : holders_[candidate.holder].nodes)
        nodes[node.value()] = nodes[node.value()] || Helps(node);
    }
    return demand_.FitsIn(domain_, nodes);
  }
  bool Helps(NodeIndex node) const { return cluster_.state_of(node).ok && demand_.eligible()[node.value()]; }

  std::vector<Candidate> Greedy(const std::vector<Candidate>& candidates) const {
    size_t least = 1, most = candidates.size();
    if (!FitsWith(candidates)) return {};
    while (least < most) {
      const size_t middle = (least + most) / 2;
      FitsWith({candidates.begin(), candidates.begin() + middle}) ? most = middle : least = middle + 1;
    }
    std::vector<Candidate> chosen(candidates.begin(), candidates.begin() + least);
    // Those with the most to lose are let go first.
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const Candidate& a, const Candidate& b) { return a.lost > b.lost; });
    for (size_t i = 0; i < chosen.size();) {
      std::vector<Candidate> fewer = chosen;
      fewer.erase(fewer.begin() + i);
      FitsWith(fewer) ? void(chosen = std::move(fewer)) : void(++i);
    }
    return chosen;
  }

  const Demand& demand_;
  const placement::Cluster& cluster_;
  const std::vector<Holder>& holders_;
  const DomainIndex domain_;
  const NodeSet usable_;
};

std::vector<bool> Below(const Topology& topology, DomainIndex domain) {
  std::vector<bool> nodes(topology.size());
  const Domain& d = topology.domain(domain);
  for (int32_t i = d.first_node; i < d.last_node; ++i) nodes[topology.tree_order()[i].value()] = true;
  return nodes;
}

}  // namespace

int64_t WorkOf(const Holder& holder, absl::Time now) {
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(now - holder.since));
  const auto nodes = static_cast<int64_t>(holder.nodes.size());
  constexpr int64_t kMost = int64_t{1} << 53;  // so that sums over all jobs can't overflow
  return nodes > 0 && seconds > kMost / nodes ? kMost : seconds * nodes;
}

std::optional<Victims> ChooseVictims(const Demand& demand, const placement::Cluster& cluster, const NodeSet& usable,
                                     const std::vector<Holder>& holders, absl::Time now,
                                     const std::function<bool(const Holder&)>& may) {
  std::vector<size_t> allowed;
  for (size_t i = 0; i < holders.size(); ++i) {
    if (holders[i].preemptible && !holders[i].leaving && may(holders[i])) allowed.push_back(i);
  }
  std::sort(allowed.begin(), allowed.end(), [&](size_t a, size_t b) {
    return std::tie(holders[a].turn.sequence, holders[a].turn.uid) <
           std::tie(holders[b].turn.sequence, holders[b].turn.uid);
  });
  std::optional<Victims> best;
  for (const DomainIndex domain : demand.domains()) {
    const std::vector<bool> below = Below(*cluster.topology, domain);
    NodeSet inside = usable;
    int64_t needed = demand.nodes();
    for (size_t i = 0; i < inside.size(); ++i) {
      inside[i] = inside[i] && below[i];
      needed -= inside[i];
    }
    std::vector<Candidate> candidates;
    int64_t most = 0;
    for (const size_t i : allowed) {
      Candidate candidate{i, 0, WorkOf(holders[i], now)};
      for (const NodeIndex node : holders[i].nodes)
        candidate.nodes += below[node.value()] && cluster.state_of(node).ok && demand.eligible()[node.value()] &&
                           !usable[node.value()];
      if (candidate.nodes == 0) continue;
      most += candidate.nodes;
      candidates.push_back(candidate);
    }
    if (candidates.empty() || most < needed) continue;
    Chooser chooser(demand, cluster, holders, domain, std::move(inside));
    const std::vector<Candidate> chosen = chooser.Choose(std::move(candidates), std::max<int64_t>(needed, 1));
    if (chosen.empty()) continue;
    Victims victims;
    victims.domain = domain;
    for (const Candidate& candidate : chosen) {
      victims.holders.push_back(candidate.holder);
      victims.lost += candidate.lost;
    }
    std::sort(victims.holders.begin(), victims.holders.end());
    if (!best ||
        std::make_tuple(victims.lost, victims.holders.size()) < std::make_tuple(best->lost, best->holders.size()))
      best = std::move(victims);
  }
  return best;
}

}  // namespace muster::queue
