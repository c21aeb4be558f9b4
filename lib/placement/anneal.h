#pragma once
// Late acceptance hill climbing (Burke and Bykov, The late acceptance hill-climbing heuristic, EJOR 258, 2017): a
// random move is taken if it makes the placement no dearer than it is, or than it was so many moves ago. Needs no
// temperature, so that one setting serves all weights. Integers and a seeded sequence only: the same everywhere.

#include <cstddef>
#include <cstdint>

#include "lib/placement/state.h"

namespace muster::placement {

struct AnnealOptions {
  size_t history = 1000;  // moves that it remembers, > 0
  uint64_t seed = 0;
};

struct Annealed {
  Layout layout;
  Delta gained;
};

// The best placement met on the way from `state`; spares stay. Moves units and whole slices. Ends after `steps` links
// looked at, which it lowers, after a while without a better one, or once `gained.cost` reaches `enough`.
Annealed Anneal(const Site& site, const UnitGraph& graph, State state, const AnnealOptions& options, int64_t enough,
                int64_t& steps);

}  // namespace muster::placement
