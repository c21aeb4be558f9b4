#include "lib/placement/vacancies.h"

#include <algorithm>
#include <utility>

#include "lib/placement/rule_book.h"

namespace muster::placement {
namespace {

// Less is better, field by field.
struct Sum {
  int64_t cost = 0;
  int32_t unused = 0;  // spares that others were taken for
  int32_t plain = 0;   // neither spares nor preferred
  friend auto operator<=>(const Sum&, const Sum&) = default;
};

class Filler {
 public:
  Filler(const Vacancies& given, int64_t steps)
      : site_(*given.site),
        graph_(*given.graph),
        wishes_(given.wishes),
        layout_(given.layout),
        free_(given.free),
        spares_(given.spares),
        preferred_(given.preferred),
        units_(site_.domains().size()),
        taken_(site_.domains().size()),
        steps_(steps),
        book_(site_) {
    for (int32_t unit = 0; unit < graph_.units(); ++unit) {
      if (layout_[unit] == kVacant) {
        vacant_.push_back(unit);
        continue;
      }
      book_.Take(unit, layout_[unit]);
      Enter(layout_[unit], 1);
    }
  }

  Filled Run() {
    Branch(0, {});
    best_.gave_up = steps_ <= 0;
    return std::move(best_);
  }

 private:
  using Key = std::pair<Sum, int32_t>;  // with the domains broken

  // What is added by a slot, and which it is.
  using Choice = std::pair<Sum, int32_t>;

  std::vector<Choice> ChoicesFor(int32_t unit) {
    std::vector<Choice> choices;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) {
      if (free_[slot] <= 0 || !book_.MayTake(unit, slot)) continue;
      const bool spare = spares_[slot] > 0;
      const bool preferred = preferred_[slot] > 0;
      choices.push_back({{TrafficAt(unit, slot) + PenaltyAt(slot), spare ? 0 : 1, spare || preferred ? 0 : 1}, slot});
    }
    std::sort(choices.begin(), choices.end());
    return choices;
  }

  void Branch(size_t at, const Sum& sum) {
    if (steps_ <= 0) return;
    if (at == vacant_.size()) {
      if (!book_.Enough()) return;
      const Key key(sum, Broken());
      if (!best_.layout.empty() && key >= best_key_) return;
      best_key_ = key;
      best_.layout = layout_;
      return;
    }
    const int32_t unit = vacant_[at];
    for (const auto& [added, slot] : ChoicesFor(unit)) {
      const Sum then{sum.cost + added.cost, sum.unused + added.unused, sum.plain + added.plain};
      if (!best_.layout.empty() && then > best_key_.first) continue;
      const int32_t spare = 1 - added.unused;
      const int32_t preferred = added.plain == 0 && spare == 0 ? 1 : 0;
      Take(unit, slot, spare, preferred, 1);
      if (SlicesCanHold(unit)) Branch(at + 1, then);
      Take(unit, slot, spare, preferred, -1);
      if (steps_ <= 0) return;
    }
  }

  // A new domain of the preferred tier, or a node that knows none.
  int64_t PenaltyAt(int32_t slot) const {
    if (wishes_.preferred_tier == kNoTier) return 0;
    const int32_t domain = site_.DomainAt(slot, wishes_.preferred_tier);
    return domain < 0 || units_[domain] == 0 ? wishes_.preferred_penalty : 0;
  }

  void Enter(int32_t slot, int32_t sign) {
    for (int32_t d = site_.slots()[slot].domain; d >= 0; d = site_.domains()[d].parent) units_[d] += sign;
  }

  void Take(int32_t unit, int32_t slot, int32_t spare, int32_t preferred, int32_t sign) {
    layout_[unit] = sign > 0 ? slot : kVacant;
    free_[slot] -= sign;
    spares_[slot] -= sign * spare;
    preferred_[slot] -= sign * preferred;
    Enter(slot, sign);
    sign > 0 ? book_.Take(unit, slot) : book_.Leave(slot);
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
    for (const SliceRule& rule : site_.rules().slices) {
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
  const Wishes wishes_;
  Layout layout_;
  std::vector<int32_t> free_;
  std::vector<int32_t> spares_;
  std::vector<int32_t> preferred_;
  std::vector<int32_t> units_;  // by domain
  std::vector<int32_t> taken_;  // idle nodes taken, by domain
  std::vector<int32_t> vacant_;
  int64_t steps_;
  RuleBook book_;
  Key best_key_;
  Filled best_;
};

}  // namespace

Filled Fill(const Vacancies& vacancies, int64_t steps) { return Filler(vacancies, steps).Run(); }

}  // namespace muster::placement
