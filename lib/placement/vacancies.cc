#include "lib/placement/vacancies.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::placement {
namespace {

class Filler {
 public:
  Filler(const Vacancies& given, int64_t steps)
      : site_(*given.site),
        graph_(*given.graph),
        layout_(given.layout),
        free_(given.free),
        spares_(given.spares),
        taken_(site_.domains().size()),
        steps_(steps) {
    for (int32_t unit = 0; unit < graph_.units(); ++unit) {
      if (layout_[unit] == kVacant) vacant_.push_back(unit);
    }
  }

  Filled Run() {
    Branch(0, 0, 0);
    best_.gave_up = steps_ <= 0;
    return std::move(best_);
  }

 private:
  // Traffic, spares left unused, domains broken: less is better.
  using Key = std::tuple<int64_t, int32_t, int32_t>;

  void Branch(size_t at, int64_t cost, int32_t unused) {
    if (steps_ <= 0) return;
    if (at == vacant_.size()) {
      const Key key(cost, unused, Broken());
      if (!best_.layout.empty() && key >= best_key_) return;
      best_key_ = key;
      best_.layout = layout_;
      return;
    }
    const int32_t unit = vacant_[at];
    std::vector<std::tuple<int64_t, int32_t, int32_t>> slots;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) {
      if (free_[slot] > 0) slots.emplace_back(TrafficAt(unit, slot), spares_[slot] > 0 ? 0 : 1, slot);
    }
    std::sort(slots.begin(), slots.end());
    for (const auto& [added, other, slot] : slots) {
      const bool better = best_.layout.empty() || std::make_pair(cost + added, unused + other) <=
                                                      std::make_pair(std::get<0>(best_key_), std::get<1>(best_key_));
      if (!better) continue;
      Take(unit, slot, 1 - other, 1);
      if (SlicesCanHold(unit)) Branch(at + 1, cost + added, unused + other);
      Take(unit, slot, 1 - other, -1);
      if (steps_ <= 0) return;
    }
  }

  void Take(int32_t unit, int32_t slot, int32_t spare, int32_t sign) {
    layout_[unit] = sign > 0 ? slot : kVacant;
    free_[slot] -= sign;
    spares_[slot] -= sign * spare;
    // A spare was taken before.
    for (int32_t d = site_.slots()[slot].domain; spare == 0 && d >= 0; d = site_.domains()[d].parent) taken_[d] += sign;
  }

  int64_t TrafficAt(int32_t unit, int32_t slot) {
    int64_t cost = 0;
    for (const UnitGraph::Link& link : graph_.links(unit)) {
      --steps_;
      const int32_t other = layout_[link.unit];
      if (other == kVacant) continue;
      cost += link.same_rail * site_.Same(slot, other) + link.cross_rail * site_.Cross(slot, other);
    }
    --steps_;
    return cost;
  }

  // Whole domains that are broken now, less those that are full now.
  int32_t Broken() const {
    int32_t broken = 0;
    for (size_t d = 0; d < taken_.size(); ++d) {
      const SiteDomain& domain = site_.domains()[d];
      if (taken_[d] == 0 || domain.tier == kNoTier) continue;
      if (domain.idle == domain.size) ++broken;
      if (taken_[d] == domain.idle) --broken;
    }
    return broken;
  }

  // Slices around the unit: those placed share the domain, and it has room for those still vacant.
  bool SlicesCanHold(int32_t unit) const {
    for (const SliceRule& rule : site_.rules()) {
      const int32_t begin = unit - unit % rule.units;
      int64_t vacant = 0;
      for (int32_t i = begin; i < begin + rule.units; ++i) {
        if (layout_[i] == kVacant) {
          ++vacant;
        } else if (!site_.Shares(layout_[i], layout_[unit], rule.tier)) {
          return false;
        }
      }
      int64_t room = 0;
      for (int32_t slot = 0; vacant > 0 && slot < site_.slot_count(); ++slot) {
        if (site_.Shares(slot, layout_[unit], rule.tier)) room += free_[slot];
      }
      if (room < vacant) return false;
    }
    return true;
  }

  const Site& site_;
  const UnitGraph& graph_;
  Layout layout_;
  std::vector<int32_t> free_;
  std::vector<int32_t> spares_;
  std::vector<int32_t> taken_;  // idle nodes taken, by domain
  std::vector<int32_t> vacant_;
  int64_t steps_;
  Key best_key_;
  Filled best_;
};

}  // namespace

Filled Fill(const Vacancies& vacancies, int64_t steps) { return Filler(vacancies, steps).Run(); }

}  // namespace muster::placement
