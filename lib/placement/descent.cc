#include "lib/placement/descent.h"

#include <algorithm>

namespace muster::placement {
namespace {

// Gangs up to which all pairs are tried.
constexpr int32_t kAllPairs = 128;

class Descent {
 public:
  Descent(const Site& site, const UnitGraph& graph, const std::vector<bool>& fixed, int64_t& steps, State& state)
      : site_(site), graph_(graph), fixed_(fixed), steps_(steps), state_(state), seen_(site.slots().size(), -1) {}

  Delta Run() {
    for (bool helped = true; helped && steps_ > 0;) {
      helped = false;
      for (int32_t unit = 0; unit < graph_.units() && steps_ > 0; ++unit) {
        if (!fixed_[unit]) helped |= Better(unit);
      }
      for (const SliceRule& rule : site_.rules().slices) {
        if (rule.units == 1) continue;
        for (int32_t first = 0; first < graph_.units() && steps_ > 0; first += rule.units) {
          helped |= BetterBlock(first, rule.units);
        }
      }
      for (size_t i = 0; i < state_.spares().size() && steps_ > 0; ++i) helped |= BetterSpare(i);
    }
    return gained_;
  }

 private:
  struct Best {
    Delta delta;
    int32_t swap = -1;
    int32_t slot = -1;
  };

  bool Better(int32_t unit) {
    Best best;
    ++round_;
    const int32_t from = state_.layout()[unit];
    seen_[from] = round_;
    if (graph_.units() <= kAllPairs) {
      for (int32_t slot = 0; slot < site_.slot_count(); ++slot) Try(unit, slot, best);
    } else {
      for (const UnitGraph::Link& link : graph_.links(unit)) TryNear(unit, state_.layout()[link.unit], best);
    }
    if (!best.delta.improves()) return false;
    if (best.swap >= 0) {
      state_.Swap(unit, best.swap);
    } else {
      state_.Move(unit, best.slot);
    }
    gained_.cost += best.delta.cost;
    gained_.ties += best.delta.ties;
    return true;
  }

  // The partner's slot, and those of its parent domain that have free nodes.
  void TryNear(int32_t unit, int32_t slot, Best& best) {
    Try(unit, slot, best);
    const int32_t parent = site_.domains()[site_.slots()[slot].domain].parent;
    if (parent < 0) return;
    const SiteDomain& around = site_.domains()[parent];
    for (int32_t near = around.first_slot; near < around.last_slot; ++near) {
      if (state_.free(near) > 0) Try(unit, near, best);
    }
  }

  void Try(int32_t unit, int32_t slot, Best& best) {
    if (seen_[slot] == round_) return;
    seen_[slot] = round_;
    const auto degree = static_cast<int64_t>(graph_.links(unit).size());
    if (state_.MayMove(unit, slot)) {
      const Delta delta = state_.MoveCost(unit, slot);
      steps_ -= 2 * degree + 4;
      if (delta < best.delta) best = {delta, -1, slot};
    }
    for (const int32_t other : state_.units_in(slot)) {
      if (fixed_[other] || !state_.MaySwap(unit, other)) continue;
      const Delta delta{state_.SwapCost(unit, other), 0};
      steps_ -= 5 * degree;
      if (delta < best.delta) best = {delta, other, -1};
    }
  }

  // The first change of a whole slice that helps.
  bool BetterBlock(int32_t first, int32_t size) {
    const int64_t looks = 5 * size * static_cast<int64_t>(graph_.links(first).size()) + 4;
    if (Fixed(first, size)) return false;
    for (int32_t other = first + size; other < graph_.units() && steps_ > 0; other += size) {
      if (Fixed(other, size) || !state_.MaySwapBlocks(first, other, size)) continue;
      steps_ -= looks;
      const int64_t cost = state_.SwapBlocks(first, other, size);
      if (cost < 0) {
        gained_.cost += cost;
        return true;
      }
      state_.SwapBlocks(first, other, size);
    }
    const int32_t from = state_.layout()[first];
    for (int32_t slot = 0; slot < site_.slot_count() && steps_ > 0; ++slot) {
      if (!state_.MayMoveBlock(first, size, slot)) continue;
      steps_ -= looks;
      const Delta delta = state_.MoveBlock(first, size, slot);
      if (delta.improves()) {
        gained_.cost += delta.cost;
        gained_.ties += delta.ties;
        return true;
      }
      state_.MoveBlock(first, size, from);
    }
    return false;
  }

  bool Fixed(int32_t first, int32_t size) const {
    for (int32_t i = 0; i < size; ++i) {
      if (fixed_[first + i]) return true;
    }
    return false;
  }

  bool BetterSpare(size_t i) {
    Delta best;
    int32_t where = -1;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) {
      if (state_.free(slot) <= 0 || slot == state_.spares()[i]) continue;
      const Delta delta = state_.MoveSpareCost(i, slot);
      steps_ -= 8;
      if (!(delta < best)) continue;
      best = delta;
      where = slot;
    }
    if (where < 0) return false;
    state_.MoveSpare(i, where);
    gained_.cost += best.cost;
    gained_.ties += best.ties;
    return true;
  }

  const Site& site_;
  const UnitGraph& graph_;
  const std::vector<bool>& fixed_;
  int64_t& steps_;
  State& state_;
  std::vector<int32_t> seen_;
  int32_t round_ = 0;
  Delta gained_;
};

}  // namespace

Delta Descend(const Site& site, const UnitGraph& graph, const std::vector<bool>& fixed, int64_t& steps, State& state) {
  return Descent(site, graph, fixed, steps, state).Run();
}

}  // namespace muster::placement
