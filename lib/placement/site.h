#pragma once
// The nodes that a search may use, as a small tree: domains with room, and in each its own nodes. Nodes of one finest
// domain are alike to the cost, so that a search deals in slots with a capacity and names nodes only at the end.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/likes.h"
#include "lib/placement/rules.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// The usable nodes that one domain holds itself, not in a finer domain.
struct Slot {
  DomainIndex home;
  int32_t domain = 0;  // the home's place in Site::domains()
  // Those that go first, then the others, then those to be avoided, each in natural order.
  std::vector<NodeIndex> nodes;
  int32_t preferred = 0;
  int32_t welcome = 0;  // not to be avoided
  int32_t capacity() const { return static_cast<int32_t>(nodes.size()); }
};

// A domain with usable nodes below it. Depth first, parents before children; the site's own domain is the first.
struct SiteDomain {
  DomainIndex domain;
  int tier = kNoTier;
  int32_t parent = -1;  // the first's
  int32_t last_domain = 0;
  int32_t first_slot = 0;
  int32_t last_slot = 0;  // slots first..last-1 are below it
  int32_t slot = -1;      // its own, if it has one
  int32_t nodes = 0;      // usable, below it
  int32_t size = 0;       // all nodes below it
  int32_t idle = 0;       // that no gang has and that are well
  std::vector<int32_t> children;
};

// Slot of each unit.
using Layout = std::vector<int32_t>;

class Site {
 public:
  // `usable` and `idle` by NodeIndex. Slots in tree order. References are kept, but for the last three.
  Site(const Topology& topology, const HopCosts& costs, const Rules& rules, DomainIndex domain,
       const std::vector<bool>& usable, const std::vector<bool>& idle, const Likes& likes = Likes());

  const Topology& topology() const { return topology_; }
  const HopCosts& costs() const { return costs_; }
  const Rules& rules() const { return rules_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<SiteDomain>& domains() const { return domains_; }
  int32_t slot_count() const { return static_cast<int32_t>(slots_.size()); }

  // Deepest tier that two different nodes of these slots share, plus one: 0 for none. An index into the hop costs.
  int Shared(int32_t a, int32_t b) const {
    if (a == b) return own_[a];
    if (packed_) return level_[std::countl_zero(codes_[a] ^ codes_[b])];
    return SharedByPath(a, b);
  }
  int64_t Same(int32_t a, int32_t b) const { return same_[Shared(a, b)]; }
  int64_t Cross(int32_t a, int32_t b) const { return cross_[Shared(a, b)]; }
  // The domain of the tier that holds the slot, as a place in domains(); -1 if none does.
  int32_t DomainAt(int32_t slot, int tier) const { return ancestors_[slot * tiers_ + tier]; }
  // What the nodes taken of a slot, and so many of them, cost beside hops: avoided ones, and others than preferred
  // ones.
  int32_t Avoided(int32_t slot, int32_t taken) const { return std::max(0, taken - slots_[slot].welcome); }
  int32_t NotPreferred(int32_t slot, int32_t taken) const {
    return prefers_ ? std::max(0, taken - slots_[slot].preferred) : 0;
  }
  // Usable nodes that know too little for the rules: none of its slots has them, but spares they can be.
  int32_t left_out() const { return left_out_; }
  bool prefers() const { return prefers_; }
  bool avoids() const { return avoids_; }
  // Whether both slots are in one domain of the tier.
  bool Shares(int32_t a, int32_t b, int tier) const {
    return DomainAt(a, tier) >= 0 && DomainAt(a, tier) == DomainAt(b, tier);
  }

  // Exact up to `enough`, where adding up ends.
  int64_t CostOf(const UnitTraffic& traffic, const Layout& layout,
                 int64_t enough = std::numeric_limits<int64_t>::max()) const;
  // The first nodes of each slot, in natural order, to its units in ascending order.
  Units NodesOf(const Layout& layout) const;

 private:
  void BuildDomains(DomainIndex domain, const std::vector<bool>& usable, const std::vector<bool>& idle,
                    const Likes& likes);
  void Pack();
  int SharedByPath(int32_t a, int32_t b) const;

  const Topology& topology_;
  const HopCosts& costs_;
  const Rules& rules_;
  int tiers_ = 0;
  int32_t left_out_ = 0;
  bool prefers_ = false;
  bool avoids_ = false;
  std::vector<Slot> slots_;
  std::vector<SiteDomain> domains_;
  std::vector<int32_t> ancestors_;  // slot · tiers + tier -> domain, -1 unknown
  std::vector<int64_t> same_, cross_;
  std::vector<int> own_;  // Shared(slot, slot)
  // A slot's path in 64 bits, coarse tiers high, so that the first bit in which two differ tells what they share.
  bool packed_ = false;
  std::vector<uint64_t> codes_;
  int level_[65] = {};
};

}  // namespace muster::placement
