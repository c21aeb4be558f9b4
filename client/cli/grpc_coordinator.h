#pragma once
// The coordinator over gRPC.

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "client/cli/coordinator.h"

namespace muster::cli {

// Each call but the watches has `timeout`. An address where nobody listens is said as client/rpc/channel.h's CantReach.
std::unique_ptr<Coordinator> ConnectCoordinator(const std::string& server, absl::Duration timeout);

}  // namespace muster::cli
