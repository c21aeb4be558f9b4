#include "lib/placement/exact.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "lib/placement/rule_book.h"

namespace muster::placement {
namespace {

constexpr int32_t kNowhere = -1;

class Tree {
 public:
  Tree(const Site& site, const UnitGraph& graph, const Wishes& wishes, int64_t below, int64_t& steps)
      : site_(site),
        graph_(graph),
        wishes_(wishes),
        steps_(steps),
        layout_(graph.units(), kNowhere),
        taken_(site.domains().size()),
        alike_(site.domains().size()),
        book_(site) {
    best_.cost = below;
    for (const Slot& slot : site.slots()) free_.push_back(slot.capacity());
    const int finest = static_cast<int>(site.topology().tiers().size()) - 1;
    finest_same_ = site.costs().Same(finest);
    finest_cross_ = site.costs().Cross(finest);
    OrderUnits();
    FindAlike();
  }

  Exact Run() {
    Branch(0, 0);
    best_.proven = steps_ > 0;
    return std::move(best_);
  }

 private:
  // Heaviest first, then always the one that talks most with those before it.
  void OrderUnits() {
    std::vector<int64_t> tie(graph_.units());
    std::vector<bool> placed(graph_.units());
    for (int32_t n = 0; n < graph_.units(); ++n) {
      int32_t next = -1;
      for (int32_t unit = 0; unit < graph_.units(); ++unit) {
        if (!placed[unit] && (next < 0 || tie[unit] > tie[next])) next = unit;
      }
      placed[next] = true;
      order_.push_back(next);
      for (const UnitGraph::Link& link : graph_.links(next)) tie[link.unit] += link.same_rail + link.cross_rail;
    }
  }

  // Numbers domains so that two have one number if their insides can't be told apart.
  void FindAlike() {
    std::map<std::tuple<int, int32_t, int32_t, int32_t, std::vector<int32_t>>, int32_t> kinds;
    for (size_t d = site_.domains().size(); d-- > 0;) {
      const SiteDomain& domain = site_.domains()[d];
      std::vector<int32_t> children;
      for (const int32_t child : domain.children) children.push_back(alike_[child]);
      std::sort(children.begin(), children.end());
      const Slot none;
      const Slot& own = domain.slot < 0 ? none : site_.slots()[domain.slot];
      const auto number = static_cast<int32_t>(kinds.size());
      alike_[d] =
          kinds
              .emplace(std::make_tuple(domain.tier, own.capacity(), own.welcome, own.preferred, std::move(children)),
                       number)
              .first->second;
    }
  }

  bool ComesBefore(int32_t slot) const {
    for (int32_t d = site_.slots()[slot].domain; site_.domains()[d].parent >= 0; d = site_.domains()[d].parent) {
      if (taken_[d] > 0) return false;
      for (const int32_t sibling : site_.domains()[site_.domains()[d].parent].children) {
        if (sibling == d) break;
        if (taken_[sibling] == 0 && alike_[sibling] == alike_[d]) return true;
      }
    }
    return false;
  }

  bool SlicesAllow(int32_t unit, int32_t slot) const {
    for (const SliceRule& rule : site_.rules().slices) {
      if (site_.DomainAt(slot, rule.tier) < 0) return false;
      const int32_t begin = unit - unit % rule.units;
      for (int32_t mate = begin; mate < begin + rule.units; ++mate) {
        if (layout_[mate] != kNowhere && !site_.Shares(layout_[mate], slot, rule.tier)) return false;
      }
    }
    return true;
  }

  // To the units that are placed.
  int64_t TrafficAt(int32_t unit, int32_t slot) const {
    int64_t cost = 0;
    for (const UnitGraph::Link& link : graph_.links(unit)) {
      if (layout_[link.unit] == kNowhere) continue;
      cost += link.same_rail * site_.Same(slot, layout_[link.unit]) +
              link.cross_rail * site_.Cross(slot, layout_[link.unit]);
    }
    return cost;
  }

  // A new domain of the preferred tier, or a node that knows none; a node to be avoided.
  int64_t PenaltyAt(int32_t slot) const {
    const int32_t taken = site_.slots()[slot].capacity() - free_[slot];
    const int64_t avoided = wishes_.avoid_penalty * (site_.Avoided(slot, taken + 1) - site_.Avoided(slot, taken));
    if (wishes_.preferred_tier == kNoTier) return avoided;
    const int32_t domain = site_.DomainAt(slot, wishes_.preferred_tier);
    return avoided + (domain < 0 || taken_[domain] == 0 ? wishes_.preferred_penalty : 0);
  }

  int64_t LeastToCome(size_t at) {
    int64_t least = 0;
    for (size_t i = at; i < order_.size(); ++i) {
      const int32_t unit = order_[i];
      int64_t best = std::numeric_limits<int64_t>::max();
      for (int32_t slot = 0; slot < site_.slot_count(); ++slot) {
        if (free_[slot] > 0) best = std::min(best, TrafficAt(unit, slot));
      }
      least += best;
      for (const UnitGraph::Link& link : graph_.links(unit)) {
        if (layout_[link.unit] != kNowhere || link.unit < unit) continue;
        least += link.same_rail * finest_same_ + link.cross_rail * finest_cross_;
      }
      steps_ -= static_cast<int64_t>(graph_.links(unit).size()) * site_.slot_count();
    }
    return least;
  }

  void Take(int32_t slot, int32_t sign) {
    free_[slot] -= sign;
    for (int32_t d = site_.slots()[slot].domain; d >= 0; d = site_.domains()[d].parent) taken_[d] += sign;
  }

  void Branch(size_t at, int64_t cost) {
    if (steps_ <= 0) return;
    if (at == order_.size()) {
      const int64_t whole = cost - (wishes_.preferred_tier == kNoTier ? 0 : wishes_.preferred_penalty);
      if (whole < best_.cost && book_.Enough()) {
        best_.cost = whole;
        best_.layout = layout_;
      }
      return;
    }
    const int64_t extra = wishes_.preferred_tier == kNoTier ? 0 : wishes_.preferred_penalty;
    if (cost + LeastToCome(at) - (at > 0 ? extra : 0) >= best_.cost) return;
    const int32_t unit = order_[at];
    std::vector<std::pair<int64_t, int32_t>> slots;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) {
      if (free_[slot] > 0 && !ComesBefore(slot) && SlicesAllow(unit, slot) && book_.MayTake(unit, slot)) {
        slots.emplace_back(TrafficAt(unit, slot) + PenaltyAt(slot), slot);
      }
    }
    std::sort(slots.begin(), slots.end());
    for (const auto& [added, slot] : slots) {
      layout_[unit] = slot;
      Take(slot, 1);
      book_.Take(unit, slot);
      Branch(at + 1, cost + added);
      book_.Leave(slot);
      Take(slot, -1);
      layout_[unit] = kNowhere;
    }
  }

  const Site& site_;
  const UnitGraph& graph_;
  const Wishes& wishes_;
  int64_t& steps_;
  Layout layout_;
  std::vector<int32_t> free_;
  std::vector<int32_t> taken_;  // units below each domain
  std::vector<int32_t> alike_;
  std::vector<int32_t> order_;
  int64_t finest_same_ = 0;
  int64_t finest_cross_ = 0;
  RuleBook book_;
  Exact best_;
};

}  // namespace

Exact SolveExactly(const Site& site, const UnitGraph& graph, const Wishes& wishes, int64_t below, int64_t& steps) {
  return Tree(site, graph, wishes, below, steps).Run();
}

}  // namespace muster::placement
