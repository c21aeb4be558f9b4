#include "lib/placement/rule_book.h"

#include <algorithm>

namespace muster::placement {

RuleBook::RuleBook(const Site& site)
    : site_(site), counts_(!site.rules().counts.empty()), apart_(site.rules().apart.tier != kNoTier) {
  if (!counts_ && !apart_) return;
  below_.resize(site.domains().size());
  if (apart_) owner_.resize(site.domains().size(), -1);
}

void RuleBook::Take(int32_t unit, int32_t slot) {
  if (below_.empty()) return;
  for (int32_t d = site_.slots()[slot].domain; d >= 0; d = site_.domains()[d].parent) ++below_[d];
  if (apart_) owner_[ApartDomain(slot)] = ReplicaOf(unit);
}

void RuleBook::Leave(int32_t slot) {
  if (below_.empty()) return;
  for (int32_t d = site_.slots()[slot].domain; d >= 0; d = site_.domains()[d].parent) --below_[d];
}

bool RuleBook::MayTake(int32_t unit, int32_t slot) const {
  if (below_.empty()) return true;
  for (const CountRule& rule : site_.rules().counts) {
    const int32_t domain = site_.DomainAt(slot, rule.tier);
    if (domain < 0 || below_[domain] >= rule.most) return false;
  }
  if (!apart_) return true;
  const int32_t domain = ApartDomain(slot);
  return domain >= 0 && (below_[domain] == 0 || owner_[domain] == ReplicaOf(unit));
}

bool RuleBook::MayShift(int32_t unit, int32_t from, int32_t to, int32_t units) const {
  if (below_.empty()) return true;
  for (const CountRule& rule : site_.rules().counts) {
    const int32_t left = site_.DomainAt(from, rule.tier);
    const int32_t entered = site_.DomainAt(to, rule.tier);
    if (left == entered) continue;
    if (entered < 0 || !rule.Allows(below_[left] - units) || !rule.Allows(below_[entered] + units)) return false;
  }
  if (!apart_) return true;
  const int32_t entered = ApartDomain(to);
  if (entered == ApartDomain(from)) return true;
  return entered >= 0 && (below_[entered] == 0 || owner_[entered] == ReplicaOf(unit));
}

bool RuleBook::MaySwap(int32_t a, int32_t slot_a, int32_t b, int32_t slot_b) const {
  return !apart_ || ReplicaOf(a) == ReplicaOf(b) || ApartDomain(slot_a) == ApartDomain(slot_b);
}

bool RuleBook::Enough() const {
  if (!counts_) return true;
  for (const CountRule& rule : site_.rules().counts) {
    for (size_t d = 0; d < below_.size(); ++d) {
      if (site_.domains()[d].tier == rule.tier && !rule.Allows(below_[d])) return false;
    }
  }
  return true;
}

}  // namespace muster::placement
