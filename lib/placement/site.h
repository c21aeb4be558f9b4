#pragma once
// The nodes that a search may use, gathered by home: nodes of one finest domain are alike to the cost, so that a search
// deals in homes ("slots" with a capacity) and names nodes only at the end.

#include <cstdint>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/slices.h"
#include "lib/topology/topology.h"

namespace muster::placement {

struct Slot {
  DomainIndex home;
  std::vector<NodeIndex> nodes;  // usable for ranks, in natural order
};

// Slot of each unit.
using Layout = std::vector<int32_t>;

class Site {
 public:
  // The usable nodes of `domain` that know the slices' tiers. Slots in tree order. References are kept.
  Site(const Topology& topology, const HopCosts& costs, const std::vector<SliceRule>& rules, DomainIndex domain,
       const std::vector<bool>& usable);

  const Topology& topology() const { return topology_; }
  const std::vector<SliceRule>& rules() const { return rules_; }
  const std::vector<Slot>& slots() const { return slots_; }
  DomainIndex domain() const { return domain_; }

  // Hop costs between two different nodes of these slots.
  int64_t Same(int32_t a, int32_t b) const { return costs_.Same(SharedTier(a, b)); }
  int64_t Cross(int32_t a, int32_t b) const { return costs_.Cross(SharedTier(a, b)); }
  int SharedTier(int32_t a, int32_t b) const {
    for (int tier = tiers_; tier-- > 0;) {
      const int32_t domain = ancestors_[a * tiers_ + tier];
      if (domain >= 0 && domain == ancestors_[b * tiers_ + tier]) return tier;
    }
    return kNoTier;
  }
  // Whether both slots are in one domain of the tier.
  bool Shares(int32_t a, int32_t b, int tier) const {
    return ancestors_[a * tiers_ + tier] >= 0 && ancestors_[a * tiers_ + tier] == ancestors_[b * tiers_ + tier];
  }

  int64_t CostOf(const UnitTraffic& traffic, const Layout& layout) const;
  bool SlicesHold(const Layout& layout) const;
  // The first nodes of each slot, in natural order, to its units in ascending order.
  Units NodesOf(const Layout& layout) const;

 private:
  const Topology& topology_;
  const HopCosts& costs_;
  const std::vector<SliceRule>& rules_;
  DomainIndex domain_;
  int tiers_ = 0;
  std::vector<Slot> slots_;
  std::vector<int32_t> ancestors_;  // slot · tiers + tier -> domain, -1 unknown
};

}  // namespace muster::placement
