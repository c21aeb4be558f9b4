#include "lib/placement/descent.h"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::placement {
namespace {

struct Neighbour {
  int32_t unit = 0;
  int64_t same_rail = 0;
  int64_t cross_rail = 0;
};

class Descent {
 public:
  Descent(const Site& site, const UnitTraffic& traffic, const std::vector<bool>& fixed, int64_t& steps, Layout& layout)
      : site_(site), fixed_(fixed), steps_(steps), layout_(layout), neighbours_(layout.size()), moved_(layout.size()) {
    for (const UnitEdge& edge : traffic.edges) {
      neighbours_[edge.a].push_back({edge.b, edge.same_rail, edge.cross_rail});
      neighbours_[edge.b].push_back({edge.a, edge.same_rail, edge.cross_rail});
    }
    free_.reserve(site.slots().size());
    for (const Slot& slot : site.slots()) free_.push_back(static_cast<int64_t>(slot.nodes.size()));
    for (const int32_t slot : layout) --free_[slot];
  }

  // One pass over all swaps of aligned blocks of this length; what it saved.
  int64_t SwapBlocks(int32_t length) {
    const auto count = static_cast<int32_t>(layout_.size() / length);
    int64_t saved = 0;
    for (int32_t i = 0; i < count && steps_ > 0; ++i) {
      for (int32_t j = i + 1; j < count && steps_ > 0; ++j) saved += TrySwap(i * length, j * length, length);
    }
    return saved;
  }

  // One pass over all units and slots with a free node.
  int64_t MoveUnits() {
    int64_t saved = 0;
    for (size_t unit = 0; unit < layout_.size() && steps_ > 0; ++unit) {
      if (fixed_[unit]) continue;
      for (size_t slot = 0; slot < free_.size() && steps_ > 0; ++slot) {
        if (free_[slot] > 0 && layout_[unit] != static_cast<int32_t>(slot)) {
          saved += TryMove(static_cast<int32_t>(unit), static_cast<int32_t>(slot));
        }
      }
    }
    return saved;
  }

 private:
  int64_t TrySwap(int32_t a, int32_t b, int32_t length) {
    bool differs = false;
    for (int32_t k = 0; k < length; ++k) {
      if (fixed_[a + k] || fixed_[b + k]) return 0;
      differs = differs || layout_[a + k] != layout_[b + k];
    }
    if (!differs) {
      --steps_;
      return 0;
    }
    for (int32_t k = 0; k < length; ++k) moved_[a + k] = moved_[b + k] = true;
    const int64_t before = Around(a, length) + Around(b, length);
    Exchange(a, b, length);
    const int64_t saved = before - Around(a, length) - Around(b, length);
    for (int32_t k = 0; k < length; ++k) moved_[a + k] = moved_[b + k] = false;
    if (saved > 0 && SlicesHoldAt(a, length) && SlicesHoldAt(b, length)) return saved;
    Exchange(a, b, length);
    return 0;
  }

  int64_t TryMove(int32_t unit, int32_t slot) {
    const int32_t from = layout_[unit];
    moved_[unit] = true;
    const int64_t before = Around(unit, 1);
    layout_[unit] = slot;
    const int64_t saved = before - Around(unit, 1);
    moved_[unit] = false;
    if (saved > 0 && SlicesHoldAt(unit, 1)) {
      --free_[slot];
      ++free_[from];
      return saved;
    }
    layout_[unit] = from;
    return 0;
  }

  void Exchange(int32_t a, int32_t b, int32_t length) {
    for (int32_t k = 0; k < length; ++k) std::swap(layout_[a + k], layout_[b + k]);
  }

  // Cost of the hops at these units; a hop between two units that move together is counted at the lower one.
  int64_t Around(int32_t first, int32_t length) {
    int64_t cost = 0;
    for (int32_t unit = first; unit < first + length; ++unit) {
      for (const Neighbour& other : neighbours_[unit]) {
        --steps_;
        if (moved_[other.unit] && other.unit < unit) continue;
        const int32_t a = layout_[unit];
        const int32_t b = layout_[other.unit];
        cost += other.same_rail * site_.Same(a, b);
        if (other.cross_rail != 0) cost += other.cross_rail * site_.Cross(a, b);
      }
    }
    return cost;
  }

  bool SlicesHoldAt(int32_t first, int32_t length) const {
    for (const SliceRule& rule : site_.rules()) {
      const int32_t begin = first - first % rule.units;
      const auto end = std::min<int32_t>(static_cast<int32_t>(layout_.size()),
                                         (first + length - 1) / rule.units * rule.units + rule.units);
      for (int32_t i = begin; i < end; ++i) {
        if (!site_.Shares(layout_[i - i % rule.units], layout_[i], rule.tier)) return false;
      }
    }
    return true;
  }

  const Site& site_;
  const std::vector<bool>& fixed_;
  int64_t& steps_;
  Layout& layout_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<bool> moved_;
  std::vector<int64_t> free_;
};

}  // namespace

int64_t Descend(const Site& site, const UnitTraffic& traffic, const std::vector<bool>& fixed, int64_t cost,
                int64_t& steps, Layout& layout) {
  if (!traffic.cliques.empty() || traffic.edges.empty()) return cost;
  std::set<int32_t> lengths = {1};
  for (const int64_t stride : traffic.strides) {
    if (stride <= static_cast<int64_t>(layout.size()) / 2) lengths.insert(static_cast<int32_t>(stride));
  }
  for (const SliceRule& rule : site.rules()) {
    if (rule.units <= static_cast<int64_t>(layout.size()) / 2) lengths.insert(rule.units);
  }
  Descent descent(site, traffic, fixed, steps, layout);
  for (int64_t saved = 1; saved > 0 && steps > 0;) {
    saved = descent.MoveUnits();
    for (const int32_t length : lengths) saved += descent.SwapBlocks(length);
    cost -= saved;
  }
  return cost;
}

}  // namespace muster::placement
