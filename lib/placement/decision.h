#pragma once
// The three answers of placement.

#include <string>
#include <variant>
#include <vector>

#include "lib/placement/score.h"
#include "lib/topology/topology.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// It fits. `placement` is whole but for `took` (and each rank's pod_index, -1), which the caller fills in.
struct Placed {
  v1::Placement placement;
  std::vector<NodeIndex> units;  // by unit
  std::vector<NodeIndex> spares;
  // The objective, part by part, and what no placement on these nodes can have a lower total than.
  Score score;
  int64_t bound = 0;
  // Looks at links of the traffic that the search took.
  int64_t steps = 0;
};

// How one domain falls short, or a constraint stands.
struct Shortfall {
  std::string domain;              // path, or "the cluster"
  int64_t free = 0;                // fit, are free and ok
  int64_t held = 0;                // fit, ok, but some gang has them
  int64_t unhealthy = 0;           // fit but draining, quarantined or lost
  std::vector<std::string> notes;  // "gpu-c07 quarantined: NIC mlx5_3 slow"; at most three and a count
};

// It will fit once something frees up or heals.
struct NotNow {
  std::string reason;                 // one sentence: tier, domain, numbers
  std::vector<Shortfall> shortfalls;  // best domain first, at most eight
  int64_t needed = 0;                 // nodes, spares included
};

// No state of this cluster can satisfy it.
struct Never {
  std::string reason;
  std::vector<std::string> ways_out;
  // No node that may still come would change that: the job, or how the cluster is configured, would have to.
  bool whatever_comes = false;
};

using Decision = std::variant<Placed, NotNow, Never>;

// The sentence of any of them.
const std::string& ReasonOf(const Decision& decision);

}  // namespace muster::placement
