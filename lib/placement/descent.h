#pragma once
// Makes a placement cheaper by small moves until none helps or the steps are used up. Deterministic.

#include <cstdint>
#include <vector>

#include "lib/placement/state.h"

namespace muster::placement {

// Moves: two units, or two whole slices, change places; a unit, a slice or a spare goes to free nodes. Where gangs are
// small all pairs of units are tried, else those that bring a unit to a slot of a partner. Slices hold before and
// after; `fixed` units stay. Takes the best move of a unit, units in ascending order. `steps` is lowered by the links
// looked at. Returns what was gained (<= 0).
Delta Descend(const Site& site, const UnitGraph& graph, const std::vector<bool>& fixed, int64_t& steps, State& state);

}  // namespace muster::placement
