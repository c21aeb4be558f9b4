#pragma once
// Slices in terms of units: every `units` consecutive units, from 0 on, in one domain of a tier.

#include <cstdint>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/request.h"
#include "lib/topology/topology.h"

namespace muster::placement {

struct SliceRule {
  int tier = kNoTier;
  int32_t units = 1;
};

// Coarse to fine. Normalised so that each rule's size is a multiple of the next finer one's: slices of 6 in a block
// over slices of 4 in a rack come to 12 in a block, since the straddling slice of 4 ties its neighbours together. Tiers
// that the topology doesn't have are left out: whoever asks has refused them before.
std::vector<SliceRule> SliceRulesOf(const Request& request, const Topology& topology);

// Whether a node can host a rank under the rules: it knows its domain of each tier.
bool KnowsSliceTiers(const std::vector<SliceRule>& rules, const Topology& topology, NodeIndex node);

bool SlicesHold(const std::vector<SliceRule>& rules, const Topology& topology, const Units& units);

}  // namespace muster::placement
