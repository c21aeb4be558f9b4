#pragma once
// How much of a job each domain has room for.

#include <cstdint>
#include <vector>

#include "lib/placement/slices.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// Counts over the tree for one set of nodes that may be used. Exact: a domain holds the gang if and only if Holds says
// so, slices and spares included.
class Room {
 public:
  // `usable` by NodeIndex. `rules` as SliceRulesOf gives them.
  Room(const Topology& topology, const std::vector<bool>& usable, const std::vector<SliceRule>& rules);

  // Nodes of the domain that may be used.
  int64_t nodes(DomainIndex domain) const { return nodes_[domain.value()]; }
  // Units that it can take at most under the slices.
  int64_t units(DomainIndex domain) const { return units_[domain.value()]; }
  bool Holds(DomainIndex domain, int64_t units, int64_t spares) const {
    return this->units(domain) >= units && nodes(domain) >= units + spares;
  }

 private:
  std::vector<int64_t> nodes_;
  std::vector<int64_t> units_;
};

// Domains that must hold the gang whole: those of the required tier, or the root alone.
std::vector<DomainIndex> DomainsAllowed(const Topology& topology, int required_tier);

}  // namespace muster::placement
