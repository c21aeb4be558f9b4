#pragma once
// How many units each slot takes: a few good candidates, from which the cheapest layout is chosen.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"

namespace muster::placement {

// A sequence of slots, as long as the gang: a slot's quota is how often it is there, and slots of one domain stand
// together, so that laying units along the sequence keeps neighbours near.
using Sequence = std::vector<int32_t>;

// Biggest domain first with the best fit for the rest, or first come in tree order, each with whole tiles only: tiles
// of 1, and of every divisor of `units` at every tier where that fits (ranks that form a tile of the mesh, say 2 stages
// of 4 replicas, stay in one domain). All hold the site's slices. Distinct, at most `limit`, the plain ones first;
// empty only if the site hasn't room.
std::vector<Sequence> CandidateSequences(const Site& site, int32_t units, size_t limit);

}  // namespace muster::placement
