#include "lib/placement/anneal.h"

#include <algorithm>
#include <utility>

namespace muster::placement {
namespace {

// Looks without a better placement after which it ends.
constexpr int64_t kPatience = 400'000;

// xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016).
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : x_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
  // 0..n-1; n > 0.
  int32_t Below(int32_t n) {
    x_ ^= x_ >> 12;
    x_ ^= x_ << 25;
    x_ ^= x_ >> 27;
    return static_cast<int32_t>(((x_ * 0x2545f4914f6cdd1du) >> 32) * static_cast<uint64_t>(n) >> 32);
  }

 private:
  uint64_t x_;
};

class Walk {
 public:
  Walk(const Site& site, const UnitGraph& graph, State state, const AnnealOptions& options, int64_t& steps)
      : site_(site),
        graph_(graph),
        state_(std::move(state)),
        random_(options.seed),
        past_(options.history),
        steps_(steps),
        best_{state_.layout(), {}},
        sizes_{1} {
    for (const SliceRule& rule : site.rules().slices) {
      if (rule.units > 1) sizes_.push_back(rule.units);
    }
  }

  Annealed Run(int64_t enough) {
    int64_t last = steps_;
    while (steps_ > 0 && last - steps_ < kPatience && best_.gained.cost > enough) {
      steps_ -= 4;
      const int32_t size = sizes_[random_.Below(static_cast<int32_t>(sizes_.size()))];
      const bool better = size > 1 ? TryBlock(size) : TryUnit();
      if (!better) continue;
      best_ = {state_.layout(), now_};
      last = steps_;
    }
    return std::move(best_);
  }

 private:
  // Mostly to where a partner is, or near it.
  int32_t Target(int32_t unit) {
    const auto links = graph_.links(unit);
    if (links.empty() || random_.Below(4) == 0) return random_.Below(site_.slot_count());
    const int32_t slot = state_.layout()[links[random_.Below(static_cast<int32_t>(links.size()))].unit];
    const int32_t parent = site_.domains()[site_.slots()[slot].domain].parent;
    if (parent < 0 || random_.Below(3) != 0) return slot;
    const SiteDomain& around = site_.domains()[parent];
    return around.first_slot + random_.Below(around.last_slot - around.first_slot);
  }

  // Whether to go on from a change; remembers what it came to.
  bool Accept(const Delta& delta) {
    const Delta then{now_.cost + delta.cost, now_.ties + delta.ties};
    Delta& past = past_[at_];
    at_ = at_ + 1 == past_.size() ? 0 : at_ + 1;
    const bool accepted = then <= now_ || then <= past;
    if (accepted) now_ = then;
    if (now_ < past) past = now_;
    return accepted;
  }

  bool TryUnit() {
    const int32_t unit = random_.Below(graph_.units());
    const int32_t slot = Target(unit);
    if (slot == state_.layout()[unit]) return false;
    const auto looks = static_cast<int64_t>(graph_.links(unit).size());
    const auto inside = static_cast<int32_t>(state_.units_in(slot).size());
    const int32_t pick = random_.Below(inside + std::min(state_.free(slot), std::max(1, inside / 2)) + 1);
    if (pick < inside) {
      const int32_t other = state_.units_in(slot)[pick];
      if (!state_.MaySwap(unit, other)) return false;
      steps_ -= 4 * looks;
      if (!Accept({state_.SwapCost(unit, other), 0})) return false;
      state_.Swap(unit, other);
    } else {
      if (!state_.MayMove(unit, slot)) return false;
      steps_ -= 2 * looks + 4;
      if (!Accept(state_.MoveCost(unit, slot))) return false;
      state_.Move(unit, slot);
    }
    return now_ < best_.gained;
  }

  bool TryBlock(int32_t size) {
    const int32_t blocks = graph_.units() / size;
    const int32_t first = random_.Below(blocks) * size;
    const auto looks = static_cast<int64_t>(graph_.links(first).size()) * size;
    if (random_.Below(4) == 0) {
      const int32_t slot = Target(first);
      if (!state_.MayMoveBlock(first, size, slot)) return false;
      const int32_t from = state_.layout()[first];
      steps_ -= 2 * looks;
      if (!Accept(state_.MoveBlock(first, size, slot))) {
        state_.MoveBlock(first, size, from);
        return false;
      }
    } else {
      const int32_t other = random_.Below(blocks) * size;
      if (other == first || !state_.MaySwapBlocks(first, other, size)) return false;
      steps_ -= 4 * looks;
      if (!Accept({state_.SwapBlocks(first, other, size), 0})) {
        state_.SwapBlocks(first, other, size);
        return false;
      }
    }
    return now_ < best_.gained;
  }

  const Site& site_;
  const UnitGraph& graph_;
  State state_;
  Sequence random_;
  std::vector<Delta> past_;
  size_t at_ = 0;
  int64_t& steps_;
  Delta now_;
  Annealed best_;
  std::vector<int32_t> sizes_;  // of what moves as one: units, slices
};

}  // namespace

Annealed Anneal(const Site& site, const UnitGraph& graph, State state, const AnnealOptions& options, int64_t enough,
                int64_t& steps) {
  return Walk(site, graph, std::move(state), options, steps).Run(enough);
}

}  // namespace muster::placement
