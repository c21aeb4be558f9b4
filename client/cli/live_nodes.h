#pragma once
// The coordinator's nodes, for commands that compute on them here.

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "lib/placement/cluster.h"

namespace muster::cli {

// All nodes as they are now. Errors as Coordinator::ListNodes.
absl::StatusOr<placement::Cluster> LiveCluster(Context& context);

}  // namespace muster::cli
