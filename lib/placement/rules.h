#pragma once
// What every placement of a job must keep, in units: slices, how many units a domain takes, replicas apart.
//
// A node whose domain of any of these tiers is unknown hosts no unit: whether it keeps the rule can't be told.

#include <cstdint>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/request.h"
#include "lib/placement/slices.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// A domain of the tier takes no unit, or `least` to `most`.
struct CountRule {
  int tier = kNoTier;
  int32_t least = 0;
  int32_t most = 0;
  bool Allows(int64_t units) const { return units == 0 || (units >= least && units <= most); }
};

// No domain of the tier takes units of different replicas. kNoTier: no such rule.
struct ApartRule {
  int tier = kNoTier;
  std::vector<int32_t> replica;  // by unit
  int32_t replicas = 0;          // each of `units` units
  int32_t units = 0;
};

struct Rules {
  std::vector<SliceRule> slices;  // coarse to fine, each size a multiple of the next one's
  std::vector<CountRule> counts;
  ApartRule apart;
  bool empty() const { return slices.empty() && counts.empty() && apart.tier == kNoTier; }
  bool plain() const { return counts.empty() && apart.tier == kNoTier; }  // slices at most
};

// Tiers that the topology doesn't have are left out: whoever asks has refused them before.
Rules RulesOf(const Request& request, const Topology& topology);

// Whether a node can host a unit at all.
bool KnowsTiers(const Rules& rules, const Topology& topology, NodeIndex node);

// Node by unit.
bool RulesHold(const Rules& rules, const Topology& topology, const Units& units);

}  // namespace muster::placement
