#pragma once
// What a placement costs, part by part: exact, from scratch, by nodes.

#include <cstdint>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/wishes.h"
#include "lib/topology/topology.h"

namespace muster::placement {

struct Score {
  int64_t traffic = 0;
  int64_t preferred = 0;
  int64_t spares = 0;
  int64_t frag = 0;  // domains left with both used and unused nodes
  int64_t total() const { return traffic + preferred + spares; }
};

// `idle`: nodes that no gang has and that are well, before this one.
Score ScoreOf(const UnitTraffic& traffic, const Topology& topology, const HopCosts& costs, const Wishes& wishes,
              const std::vector<bool>& idle, const Units& units, const std::vector<NodeIndex>& spares);

}  // namespace muster::placement
