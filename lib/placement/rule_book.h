#pragma once
// Who is in which domain, as far as a job's rules ask, while units come and go one by one.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"

namespace muster::placement {

// Counts by domain and replicas apart; slices are looked after by whoever moves units. Keeps a reference to the site.
class RuleBook {
 public:
  explicit RuleBook(const Site& site);

  void Take(int32_t unit, int32_t slot);
  void Leave(int32_t slot);
  // Whether the unit may come there, whatever else still comes: not too many, and nobody of another replica.
  bool MayTake(int32_t unit, int32_t slot) const;
  // Whether all rules hold after so many units (of the first one's replica) went from one slot to another;
  // precondition: they hold before.
  bool MayShift(int32_t unit, int32_t from, int32_t to, int32_t units) const;
  // Whether two units may change places.
  bool MaySwap(int32_t a, int32_t slot_a, int32_t b, int32_t slot_b) const;
  // Whether every domain that has units has enough.
  bool Enough() const;

 private:
  int32_t ApartDomain(int32_t slot) const { return site_.DomainAt(slot, site_.rules().apart.tier); }
  int32_t ReplicaOf(int32_t unit) const { return site_.rules().apart.replica[unit]; }

  const Site& site_;
  const bool counts_;
  const bool apart_;
  std::vector<int32_t> below_;  // units, by domain
  std::vector<int32_t> owner_;  // replica that a domain's units belong to, while it has some
};

}  // namespace muster::placement
