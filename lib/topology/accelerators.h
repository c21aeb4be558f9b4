#pragma once
// Accelerator domains: racks of GPUs joined by NVLink or the like, the second dimension of a topology. They may lie
// within the network's domains, hold several of them, or cut across.

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "lib/topology/topology.h"

namespace muster {

struct AcceleratorDomain {
  std::string name;
  std::vector<NodeIndex> nodes;  // ascending
};

// In natural order of the names. Nodes that know none are in none.
std::vector<AcceleratorDomain> AcceleratorDomainsOf(const Topology& topology);

// Where they fit into the tree as one more tier: 0 above all tiers, tiers().size() below the finest. Each lies within
// one domain of the tier above, and holds whole domains of the one below. The finest place, if several do; nullopt:
// they cut across, or there are none. A node that knows a domain above or below but no accelerator domain is in
// nobody's way.
absl::optional<size_t> NestingTier(const Topology& topology);

}  // namespace muster
