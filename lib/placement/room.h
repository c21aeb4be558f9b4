#pragma once
// How much of a job each domain has room for.

#include <cstdint>
#include <map>
#include <vector>

#include "lib/placement/bin_cover.h"
#include "lib/placement/rules.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// Counts over the tree for one set of nodes that may be used. Exact: a domain holds the gang if and only if Holds says
// so, rules and spares included; but for replicas apart where sharing domains out takes too long (MayHold).
class Room {
 public:
  // `usable` by NodeIndex. `units` and `spares`: what is to be held. References are kept.
  Room(const Topology& topology, const std::vector<bool>& usable, const Rules& rules, int64_t units, int64_t spares);

  // Nodes of the domain that may be used.
  int64_t nodes(DomainIndex domain) const { return nodes_[domain.value()]; }
  // Units that it can take at most, of those asked for, under slices and counts; and, with replicas apart, the units of
  // as many replicas as it has domains for.
  int64_t units(DomainIndex domain) const;
  bool Holds(DomainIndex domain) const { return Answer(domain) == Covered::kYes; }
  // Whether it isn't proven that it can't.
  bool MayHold(DomainIndex domain) const { return Answer(domain) != Covered::kNo; }

 private:
  // Which numbers of units a domain can take, as a set of bits.
  using Sizes = std::vector<uint64_t>;

  void Count(const std::vector<bool>& usable);
  void CountSizes(const std::vector<bool>& usable);
  void Filter(int tier, Sizes& sizes) const;
  Covered Answer(DomainIndex domain) const;
  // Nodes that may host units in each domain of the tier that replicas don't share.
  std::vector<int32_t> Shares(DomainIndex domain) const;

  const Topology& topology_;
  const Rules& rules_;
  const int64_t wanted_;
  const int64_t spares_;
  std::vector<int64_t> nodes_;
  std::vector<int64_t> units_;
  std::vector<Sizes> sizes_;                            // only where counts are ruled
  mutable std::map<DomainIndex, int64_t> apart_units_;  // those looked at
};

// Domains that must hold the gang whole: those of the required tier, or the root alone.
std::vector<DomainIndex> DomainsAllowed(const Topology& topology, int required_tier);

}  // namespace muster::placement
