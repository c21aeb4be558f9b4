#pragma once
// How many units each domain takes: a knapsack over the tree of domains, and with it what no placement can cost less
// than.
//
// All of the objective but the shapes of the sets is a sum over domains: the least cost at their borders for the units
// inside (border_costs.h), slices as counts that must divide, the preferred tier's penalty where anything is inside,
// the distance to spares (units of a domain without a spare pay the step at its border), and, after all cost, one for
// each domain left broken. The minimum over all counts is exact, by merging children into their parent (min-plus), in
// O(units · nodes) at most. It bounds the cost from below; the counts that attain it are where the search starts.

#include <cstdint>
#include <vector>

#include "lib/placement/border_costs.h"
#include "lib/placement/site.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// Units and spares of each slot.
struct Quotas {
  std::vector<int32_t> units;
  std::vector<int32_t> spares;
};

class Knapsack {
 public:
  // `most_cost`: what no placement costs more than, below 2^59. Spares beyond kMaxCountedSpares are left out (their
  // places follow from what is left free).
  static constexpr int32_t kMaxCountedSpares = 4;

  Knapsack(const Site& site, const Wishes& wishes, BorderCosts& borders, Border border, int32_t units,
           int64_t most_cost);

  // Whether the site holds the units at all.
  bool fits() const;
  // What no placement on the site costs less than, wishes included; precondition: fits().
  int64_t Bound() const;
  // Counts that attain it. `turn` chooses among equals: 0 fills the first domains first, 1 the last.
  Quotas Plan(int turn) const;
  // Inner steps taken.
  int64_t steps() const { return steps_; }

 private:
  // Entry spares · (most + 1) + units: the least value, kNone if impossible.
  struct Table {
    int32_t most = 0;
    int32_t spares = 0;
    std::vector<int64_t> values;
    int64_t at(int32_t k, int32_t s) const { return values[static_cast<size_t>(k) * (most + 1) + s]; }
  };

  Table OwnTable(const SiteDomain& domain) const;
  Table Merge(const Table& a, const Table& b);
  void AddBorder(const SiteDomain& domain, Table& table);
  void Split(int32_t domain, int32_t k, int32_t s, int turn, Quotas& quotas) const;

  const Site& site_;
  const Wishes wishes_;
  BorderCosts& borders_;
  const Border border_;
  int32_t units_;
  int32_t counted_spares_;
  // A value is cost · scale + nodes taken that aren't preferred · (domains + 1) + broken domains; 1: costs are too big
  // to count those.
  int64_t scale_ = 1;
  int64_t not_preferred_ = 0;  // weight of one
  int64_t steps_ = 0;
  // By domain: the tables after each child is merged in, the own slot first; and with the border.
  std::vector<std::vector<Table>> merged_;
  std::vector<Table> bordered_;
};

}  // namespace muster::placement
