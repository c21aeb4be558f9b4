#include "lib/placement/knapsack.h"

#include <algorithm>
#include <limits>

namespace muster::placement {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;
constexpr int64_t kMaxValue = int64_t{1} << 60;

}  // namespace

Knapsack::Knapsack(const Site& site, const Wishes& wishes, BorderCosts& borders, Border border, int32_t units,
                   int64_t most_cost)
    : site_(site),
      wishes_(wishes),
      borders_(borders),
      border_(border),
      units_(units),
      counted_spares_(std::min(wishes.spares, kMaxCountedSpares)) {
  const std::vector<SiteDomain>& domains = site.domains();
  int64_t scale = static_cast<int64_t>(domains.size()) + 1;
  if (site.prefers()) {
    not_preferred_ = scale;
    scale *= int64_t{units} + wishes.spares + 1;
  }
  if (most_cost < kMaxValue / 2 / scale) {
    scale_ = scale;
  } else {
    not_preferred_ = 0;
  }
  merged_.resize(domains.size());
  bordered_.resize(domains.size());
  for (size_t d = domains.size(); d-- > 0;) {
    std::vector<Table>& merged = merged_[d];
    merged.push_back(OwnTable(domains[d]));
    for (const int32_t child : domains[d].children) merged.push_back(Merge(merged.back(), bordered_[child]));
    bordered_[d] = merged.back();
    AddBorder(domains[d], bordered_[d]);
  }
  // Nodes that know too little for a slice can still be spares, but aren't in the site.
  if (bordered_[0].most < units_) return;
  counted_spares_ = std::min(counted_spares_, bordered_[0].spares);
  while (counted_spares_ > 0 && bordered_[0].at(counted_spares_, units_) >= kNone) --counted_spares_;
}

// The domain's own nodes, and nothing else of it.
Knapsack::Table Knapsack::OwnTable(const SiteDomain& domain) const {
  const int finest = static_cast<int>(site_.topology().tiers().size()) - 1;
  const int32_t room = domain.slot < 0 ? 0 : site_.slots()[domain.slot].capacity();
  Table table;
  table.most = std::min(room, units_);
  table.spares = std::min(room, counted_spares_);
  table.values.assign(static_cast<size_t>(table.spares + 1) * (table.most + 1), kNone);
  // A node that lacks finer labels is a domain of its own in each finer tier.
  const int64_t alone = domain.tier < finest && room > 0 ? borders_.At(border_, domain.tier, finest)[1] : 0;
  int64_t each = alone + 2 * wishes_.spare_weight * (wishes_.spares > 0 ? site_.costs().Same(domain.tier) : 0);
  if (wishes_.preferred_tier != kNoTier &&
      (domain.slot < 0 || site_.DomainAt(domain.slot, wishes_.preferred_tier) < 0)) {
    each += 2 * wishes_.preferred_penalty;
  }
  for (int32_t k = 0; k <= table.spares; ++k) {
    for (int32_t s = 0; s <= table.most && s + k <= room; ++s) {
      int64_t& value = table.values[static_cast<size_t>(k) * (table.most + 1) + s];
      value = each * s * scale_;
      if (domain.slot < 0) continue;
      value += 2 * wishes_.avoid_penalty * site_.Avoided(domain.slot, s + k) * scale_;
      value += not_preferred_ * site_.NotPreferred(domain.slot, s + k);
    }
  }
  return table;
}

Knapsack::Table Knapsack::Merge(const Table& a, const Table& b) {
  if (b.most == 0 && b.spares == 0) return a;
  Table c;
  c.most = std::min(a.most + b.most, units_);
  c.spares = std::min(a.spares + b.spares, counted_spares_);
  c.values.assign(static_cast<size_t>(c.spares + 1) * (c.most + 1), kNone);
  for (int32_t ka = 0; ka <= a.spares; ++ka) {
    for (int32_t kb = 0; kb <= b.spares && ka + kb <= c.spares; ++kb) {
      const int64_t* const from_b = &b.values[static_cast<size_t>(kb) * (b.most + 1)];
      for (int32_t sa = 0; sa <= a.most; ++sa) {
        const int64_t from_a = a.at(ka, sa);
        if (from_a >= kNone) continue;
        const int32_t end = std::min(b.most, c.most - sa);
        int64_t* const to = &c.values[static_cast<size_t>(ka + kb) * (c.most + 1) + sa];
        for (int32_t sb = 0; sb <= end; ++sb) to[sb] = std::min(to[sb], from_a + from_b[sb]);
        steps_ += end + 1;
      }
    }
  }
  // What can't be stays so, whatever it was added to.
  for (int64_t& value : c.values) {
    if (value > kNone / 2) value = kNone;
  }
  return c;
}

void Knapsack::AddBorder(const SiteDomain& domain, Table& table) {
  static const std::vector<int64_t> kFree;
  const bool top = domain.parent < 0;
  const int outer = top ? kNoTier : site_.domains()[domain.parent].tier;
  const std::vector<int64_t>& border = top ? kFree : borders_.At(border_, outer, domain.tier);
  const int64_t step =
      top ? 0 : 2 * wishes_.spare_weight * (site_.costs().Same(outer) - site_.costs().Same(domain.tier));
  for (int32_t k = 0; k <= table.spares; ++k) {
    for (int32_t s = 0; s <= table.most; ++s) {
      int64_t& value = table.values[static_cast<size_t>(k) * (table.most + 1) + s];
      if (value >= kNone) continue;
      bool allowed = true;
      for (const SliceRule& rule : site_.rules().slices) allowed &= rule.tier != domain.tier || s % rule.units == 0;
      for (const CountRule& rule : site_.rules().counts) allowed &= rule.tier != domain.tier || rule.Allows(s);
      if (!allowed) {
        value = kNone;
        continue;
      }
      int64_t cost = top ? 0 : border[s];
      if (k == 0 && wishes_.spares > 0) cost += step * s;
      if (s > 0 && domain.tier == wishes_.preferred_tier && domain.tier != kNoTier)
        cost += 2 * wishes_.preferred_penalty;
      const bool broken =
          scale_ > 1 && domain.tier != kNoTier && domain.size - domain.idle + s + k > 0 && s + k < domain.idle;
      value += cost * scale_ + (broken ? 1 : 0);
    }
  }
}

bool Knapsack::fits() const {
  const Table& top = bordered_[0];
  return top.most >= units_ && top.at(counted_spares_, units_) < kNone;
}

int64_t Knapsack::Bound() const {
  const int64_t value = bordered_[0].at(counted_spares_, units_);
  const int64_t twice = value / scale_ - (value % scale_ < 0 ? 1 : 0);  // broken domains rounded off
  const int64_t half = twice / 2 + (twice % 2 > 0 ? 1 : 0);             // halves rounded up
  const int64_t extra = wishes_.preferred_tier == kNoTier ? 0 : wishes_.preferred_penalty;
  return borders_.Base(border_, site_.domains()[0].tier) + half - extra;
}

Quotas Knapsack::Plan(int turn) const {
  Quotas quotas{std::vector<int32_t>(site_.slots().size()), std::vector<int32_t>(site_.slots().size())};
  Split(0, counted_spares_, units_, turn, quotas);
  return quotas;
}

void Knapsack::Split(int32_t index, int32_t k, int32_t s, int turn, Quotas& quotas) const {
  const SiteDomain& domain = site_.domains()[index];
  for (size_t i = domain.children.size(); i-- > 0;) {
    const Table& a = merged_[index][i];
    const Table& b = bordered_[domain.children[i]];
    const int64_t wanted = merged_[index][i + 1].at(k, s);
    bool found = false;
    for (int32_t kb = 0; kb <= std::min(k, b.spares) && !found; ++kb) {
      if (k - kb > a.spares) continue;
      const int32_t least = std::max(0, s - a.most);
      const int32_t most = std::min(s, b.most);
      for (int32_t n = 0; n <= most - least && !found; ++n) {
        const int32_t sb = turn == 0 ? least + n : most - n;
        if (a.at(k - kb, s - sb) >= kNone || b.at(kb, sb) >= kNone) continue;
        if (a.at(k - kb, s - sb) + b.at(kb, sb) != wanted) continue;
        if (sb > 0 || kb > 0) Split(domain.children[i], kb, sb, turn, quotas);
        k -= kb;
        s -= sb;
        found = true;
      }
    }
  }
  if (domain.slot >= 0) {
    quotas.units[domain.slot] = s;
    quotas.spares[domain.slot] = k;
  }
}

}  // namespace muster::placement
