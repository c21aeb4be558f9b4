#pragma once
// Units laid along the slots of a site, domain by domain.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"

namespace muster::placement {

// In which order a domain's children are filled.
enum class ChildOrder {
  kNatural,
  kBigFirst,
  // So that as many children as possible begin and end where a tile does: those that are whole multiples of the biggest
  // tiles first, then always the one after which the row stands at the end of the biggest tile.
  kAligned,
};

// The slots with their quotas, in the order in which they are filled, as one row: a slot's place as often as it has
// units. `tiles`: sizes of the tiles, ascending, each dividing the next.
std::vector<int32_t> RowOf(const Site& site, const std::vector<int32_t>& quotas, ChildOrder how,
                           const std::vector<int64_t>& tiles);

Layout LayAlong(const std::vector<int32_t>& row, const std::vector<int32_t>& unit_at);

}  // namespace muster::placement
