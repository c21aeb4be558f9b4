#pragma once
// Ranks over nodes: the cheapest layout among tiled orders of the mesh along a sequence of places, then made cheaper by
// small moves.

#include <cstdint>
#include <vector>

#include "lib/placement/quotas.h"
#include "lib/placement/request.h"
#include "lib/placement/site.h"

namespace muster::placement {

// Looks that a search may take at edges of the traffic: time, counted so that it is the same everywhere.
struct Budget {
  int64_t steps = 0;
  int64_t alternatives = 0;  // layouts priced
};

struct Assignment {
  Layout layout;
  int64_t cost = 0;
};

// Lays the gang along `sequence` (quotas.h). The sequence's own order, which holds the slices, is always looked at, so
// that there is always an answer; a layout that breaks a slice is never one.
Assignment Assign(const Request& request, const Site& site, const Sequence& sequence, Budget& budget);

// Small moves (descent.h), to free nodes of the site too.
void Improve(const Request& request, const Site& site, Budget& budget, Assignment& assignment);

}  // namespace muster::placement
