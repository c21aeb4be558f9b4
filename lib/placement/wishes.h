#pragma once
// What is wanted of a placement beside cheap traffic, in numbers.

#include <cstdint>

#include "lib/topology/topology.h"

namespace muster::placement {

struct Wishes {
  // Each domain of this tier that ranks touch, beyond the first, costs so much; a node without that label counts as one
  // of its own.
  int preferred_tier = kNoTier;
  int64_t preferred_penalty = 0;
  // Nodes held ready; each unit pays `spare_weight` times the same-rail hop cost to the spare nearest to it.
  int32_t spares = 0;
  int64_t spare_weight = 0;
  // Each node taken that is to be avoided.
  int64_t avoid_penalty = 0;
};

}  // namespace muster::placement
