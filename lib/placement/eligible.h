#pragma once
// Which nodes a job could ever use, whatever their present state.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/request.h"

namespace muster::placement {

// By NodeIndex: room for a full unit, all labels of node_selector, and among the named nodes if any are named.
std::vector<bool> EligibleNodes(const Request& request, const Cluster& cluster);

}  // namespace muster::placement
