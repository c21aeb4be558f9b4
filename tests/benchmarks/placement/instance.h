#pragma once
// One instance of the placement benchmark (schema: README.md), as a request on a cluster.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "lib/placement/cluster.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/request.h"

namespace muster::placement {

struct BestKnown {
  bool known = false;
  bool feasible = true;
  std::string reason;  // if infeasible
  int64_t cost = 0;
  int64_t lower_bound = 0;
  int64_t frag = 0;
};

struct Instance {
  std::string name;
  std::string kind;  // its class
  Cluster cluster;
  HopCosts costs;
  // Empty where the shape is impossible: a grid's product or a slice that does not divide.
  absl::optional<Request> request;
  // A running job that lost nodes: the present node of every unit, and the units to be placed anew.
  std::vector<NodeIndex> pinned;
  std::vector<int32_t> vacated;
  BestKnown best;
  std::map<std::string, int64_t> baselines;  // cost by rule; rules without a valid placement are left out
};

// INVALID_ARGUMENT, naming the field.
absl::StatusOr<Instance> ReadInstance(const std::string& json);

}  // namespace muster::placement
