#pragma once
// The mesh as seen from nodes: unit numbers in mixed radix, and the traffic as a Cartesian product of small graphs.
//
// Where tensor parallelism fills a node, say, and context, data and pipeline parallelism span nodes, units form a box
// cp x dp x pp. An item of traffic that changes one digit only is a graph over that dimension, repeated along all
// others. One that changes several (gradients ride a ring through cp and dp) ties these dimensions into one bundle. The
// whole is the product of its bundles, which is what makes least boundaries computable (least_boundary.h).

#include <cstdint>
#include <vector>

#include "lib/placement/traffic.h"

namespace muster::placement {

struct Dimension {
  int64_t stride = 1;  // in units
  int64_t size = 1;    // >= 2
};

// One item's graph over the units of its dimensions, all other digits 0.
struct Factor {
  std::vector<size_t> dims;     // ascending places in Dimensions::dims
  bool uniform = true;          // it repeats for all other digits; if not, `edges` are all edges of the item
  std::vector<UnitEdge> edges;  // weighted
};

struct Dimensions {
  std::vector<Dimension> dims;  // by growing stride; their sizes multiply to the number of units
  std::vector<Factor> factors;  // of the items that have edges between units
  // Cliques count as factors without edges: what is said of least boundaries stays true, if less tight.

  static Dimensions Of(const UnitTraffic& traffic, int32_t units);
};

}  // namespace muster::placement
