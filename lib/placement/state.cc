#include "lib/placement/state.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::placement {

State::State(const Site& site, const UnitGraph& graph, const Wishes& wishes, Layout layout, std::vector<int32_t> spares)
    : site_(site),
      graph_(graph),
      wishes_(wishes),
      layout_(std::move(layout)),
      spares_(std::move(spares)),
      inside_(site.slots().size()),
      place_(layout_.size()),
      units_below_(site.domains().size()),
      taken_below_(site.domains().size()),
      book_(site) {
  const int tiers = static_cast<int>(site.topology().tiers().size());
  for (int tier = kNoTier; tier < tiers; ++tier) {
    same_.push_back(site.costs().Same(tier));
    cross_.push_back(site.costs().Cross(tier));
  }
  for (const Slot& slot : site.slots()) free_.push_back(slot.capacity());
  const auto take = [&](int32_t slot, int32_t units) {
    --free_[slot];
    for (int32_t d = site_.slots()[slot].domain; d >= 0; d = site_.domains()[d].parent) {
      units_below_[d] += units;
      ++taken_below_[d];
    }
  };
  for (int32_t u = 0; u < static_cast<int32_t>(layout_.size()); ++u) {
    place_[u] = static_cast<int32_t>(inside_[layout_[u]].size());
    inside_[layout_[u]].push_back(u);
    take(layout_[u], 1);
    book_.Take(u, layout_[u]);
  }
  for (const int32_t slot : spares_) take(slot, 0);
  RateSpares();
}

void State::RateSpares() {
  if (spares_.empty() || wishes_.spare_weight == 0) return;
  to_spare_.resize(site_.slots().size());
  for (int32_t slot = 0; slot < site_.slot_count(); ++slot) to_spare_[slot] = NearestSpare(slot);
}

int64_t State::NearestSpare(int32_t slot) const {
  int64_t nearest = std::numeric_limits<int64_t>::max();
  for (const int32_t spare : spares_) nearest = std::min(nearest, site_.Same(slot, spare));
  return nearest;
}

int64_t State::Rerouted(int32_t unit, int32_t from, int32_t to, int32_t but) const {
  int64_t delta = 0;
  for (const UnitGraph::Link& link : graph_.links(unit)) {
    if (link.unit == but) continue;
    const int32_t other = layout_[link.unit];
    const int then = site_.Shared(to, other);
    const int now = site_.Shared(from, other);
    if (then == now) continue;
    delta += link.same_rail * (same_[then] - same_[now]) + link.cross_rail * (cross_[then] - cross_[now]);
  }
  return delta;
}

int64_t State::SwapCost(int32_t a, int32_t b) const {
  const int32_t at_a = layout_[a];
  const int32_t at_b = layout_[b];
  if (at_a == at_b) return 0;
  // What the two have between them stays as far apart.
  return Rerouted(a, at_a, at_b, b) + Rerouted(b, at_b, at_a, a);
}

bool State::MaySwap(int32_t a, int32_t b) const {
  for (const SliceRule& rule : site_.rules().slices) {
    if (a / rule.units != b / rule.units && !site_.Shares(layout_[a], layout_[b], rule.tier)) return false;
  }
  return book_.MaySwap(a, layout_[a], b, layout_[b]);
}

void State::Swap(int32_t a, int32_t b) {
  std::swap(inside_[layout_[a]][place_[a]], inside_[layout_[b]][place_[b]]);
  std::swap(place_[a], place_[b]);
  std::swap(layout_[a], layout_[b]);
}

bool State::MayMove(int32_t unit, int32_t slot) const {
  if (free_[slot] <= 0) return false;
  for (const SliceRule& rule : site_.rules().slices) {
    if (rule.units > 1 ? !site_.Shares(layout_[unit], slot, rule.tier) : site_.DomainAt(slot, rule.tier) < 0) {
      return false;
    }
  }
  return book_.MayShift(unit, layout_[unit], slot, 1);
}

// What taking a node in `to` and giving one back in `from` changes but for the traffic; `units` 1 for a unit, 0 for a
// spare.
Delta State::ShiftCost(int32_t from, int32_t to, int32_t units) {
  Delta delta;
  const std::vector<SiteDomain>& domains = site_.domains();
  const auto broken = [&](int32_t d, int32_t taken) {
    const SiteDomain& domain = domains[d];
    return domain.tier != kNoTier && domain.size - domain.idle + taken > 0 && taken < domain.idle ? 1 : 0;
  };
  int32_t a = site_.slots()[from].domain;
  int32_t b = site_.slots()[to].domain;
  bool from_known = false;
  bool to_known = false;
  while (a != b) {
    // The later of two in depth-first order can't be above the other.
    int32_t& d = a > b ? a : b;
    const int32_t sign = a > b ? -1 : 1;
    (sign < 0 ? from_known : to_known) |= domains[d].tier == wishes_.preferred_tier;
    delta.ties += broken(d, taken_below_[d] + sign) - broken(d, taken_below_[d]);
    if (units > 0 && domains[d].tier == wishes_.preferred_tier && wishes_.preferred_tier != kNoTier) {
      if (sign < 0 && units_below_[d] == 1) delta.cost -= wishes_.preferred_penalty;
      if (sign > 0 && units_below_[d] == 0) delta.cost += wishes_.preferred_penalty;
    }
    d = domains[d].parent;
  }
  if (wishes_.preferred_tier != kNoTier && units > 0) {
    if (!from_known && site_.DomainAt(from, wishes_.preferred_tier) < 0) delta.cost -= wishes_.preferred_penalty;
    if (!to_known && site_.DomainAt(to, wishes_.preferred_tier) < 0) delta.cost += wishes_.preferred_penalty;
  }
  if (from != to && (site_.avoids() || site_.prefers())) {
    const auto taken = [&](int32_t slot) { return site_.slots()[slot].capacity() - free_[slot]; };
    const auto more = [&](auto count) {
      return (site_.*count)(to, taken(to) + 1) - (site_.*count)(to, taken(to)) + (site_.*count)(from, taken(from) - 1) -
             (site_.*count)(from, taken(from));
    };
    delta.cost += wishes_.avoid_penalty * more(&Site::Avoided);
    delta.ties += static_cast<int64_t>(domains.size() + 1) * more(&Site::NotPreferred);
  }
  if (units > 0 && !to_spare_.empty()) delta.cost += wishes_.spare_weight * (to_spare_[to] - to_spare_[from]);
  return delta;
}

void State::Shift(int32_t from, int32_t to, int32_t units) {
  ++free_[from];
  --free_[to];
  for (int32_t d = site_.slots()[from].domain; d >= 0; d = site_.domains()[d].parent) {
    units_below_[d] -= units;
    --taken_below_[d];
  }
  for (int32_t d = site_.slots()[to].domain; d >= 0; d = site_.domains()[d].parent) {
    units_below_[d] += units;
    ++taken_below_[d];
  }
}

Delta State::MoveCost(int32_t unit, int32_t slot) {
  const int32_t from = layout_[unit];
  Delta delta = ShiftCost(from, slot, 1);
  delta.cost += Rerouted(unit, from, slot, unit);
  return delta;
}

void State::Move(int32_t unit, int32_t slot) {
  const int32_t from = layout_[unit];
  Shift(from, slot, 1);
  book_.Leave(from);
  book_.Take(unit, slot);
  std::vector<int32_t>& left = inside_[from];
  left[place_[unit]] = left.back();
  place_[left.back()] = place_[unit];
  left.pop_back();
  place_[unit] = static_cast<int32_t>(inside_[slot].size());
  inside_[slot].push_back(unit);
  layout_[unit] = slot;
}

bool State::MaySwapBlocks(int32_t a, int32_t b, int32_t size) const {
  for (const SliceRule& rule : site_.rules().slices) {
    if (rule.units <= size || a / rule.units == b / rule.units) continue;
    for (int32_t i = 0; i < size; ++i) {
      if (!site_.Shares(layout_[a + i], layout_[b + i], rule.tier)) return false;
    }
  }
  return true;
}

int64_t State::SwapBlocks(int32_t a, int32_t b, int32_t size) {
  int64_t delta = 0;
  for (int32_t i = 0; i < size; ++i) {
    delta += SwapCost(a + i, b + i);
    Swap(a + i, b + i);
  }
  return delta;
}

bool State::MayMoveBlock(int32_t first, int32_t size, int32_t slot) const {
  const int32_t from = layout_[first];
  if (from == slot || free_[slot] < size) return false;
  for (int32_t i = 1; i < size; ++i) {
    if (layout_[first + i] != from) return false;
  }
  for (const SliceRule& rule : site_.rules().slices) {
    if (rule.units > size && !site_.Shares(from, slot, rule.tier)) return false;
  }
  return book_.MayShift(first, from, slot, size);
}

Delta State::MoveBlock(int32_t first, int32_t size, int32_t slot) {
  Delta sum;
  for (int32_t i = 0; i < size; ++i) {
    const Delta delta = MoveCost(first + i, slot);
    Move(first + i, slot);
    sum.cost += delta.cost;
    sum.ties += delta.ties;
  }
  return sum;
}

Delta State::MoveSpareCost(size_t i, int32_t slot) {
  const int32_t from = spares_[i];
  Delta delta = ShiftCost(from, slot, 0);
  if (to_spare_.empty()) return delta;
  spares_[i] = slot;
  for (int32_t s = 0; s < site_.slot_count(); ++s) {
    if (inside_[s].empty()) continue;
    delta.cost += wishes_.spare_weight * static_cast<int64_t>(inside_[s].size()) * (NearestSpare(s) - to_spare_[s]);
  }
  spares_[i] = from;
  return delta;
}

void State::MoveSpare(size_t i, int32_t slot) {
  Shift(spares_[i], slot, 0);
  spares_[i] = slot;
  RateSpares();
}

}  // namespace muster::placement
