#pragma once
// The cheapest placement of a small gang, proven: branch and bound over slots.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"
#include "lib/placement/unit_graph.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// Gangs up to this size are looked at.
inline constexpr int32_t kMaxExactUnits = 8;

struct Exact {
  bool proven = false;  // nothing costs less than the better of `below` and `layout`; false if the steps ran out
  Layout layout;        // cheaper than `below`, if there is one; else empty
  int64_t cost = 0;     // traffic and the preferred tier's penalty
};

// Searches for anything cheaper than `below` (traffic and preferred tier; spares are not looked at). Units in order of
// their traffic with those placed; a slot is passed over if an equal one, in an equal untouched domain, comes before
// it. All rules hold. What is still to come costs at least: to placed units, the best free slot; among themselves, the
// finest tier. `steps` is lowered by the links looked at.
Exact SolveExactly(const Site& site, const UnitGraph& graph, const Wishes& wishes, int64_t below, int64_t& steps);

}  // namespace muster::placement
