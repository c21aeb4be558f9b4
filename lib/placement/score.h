#pragma once
// What a placement costs, part by part: exact, from scratch, by nodes.

#include <cstdint>
#include <vector>

#include "lib/placement/cost.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/likes.h"
#include "lib/placement/wishes.h"
#include "lib/topology/topology.h"

namespace muster::placement {

struct Score {
  int64_t traffic = 0;
  int64_t preferred = 0;
  int64_t spares = 0;
  int64_t avoided = 0;        // penalty for nodes that are to be avoided
  int64_t not_preferred = 0;  // nodes taken that aren't preferred, where any are
  int64_t frag = 0;           // domains left with both used and unused nodes
  int64_t total() const { return traffic + preferred + spares + avoided; }
};

// `idle`: nodes that no gang has and that are well, before this one.
Score ScoreOf(const UnitTraffic& traffic, const Topology& topology, const HopCosts& costs, const Wishes& wishes,
              const std::vector<bool>& idle, const Units& units, const std::vector<NodeIndex>& spares,
              const Likes& likes = Likes());

}  // namespace muster::placement
