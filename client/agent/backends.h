#pragma once
// The backends that this agent has.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/agent/backend.h"
#include "client/agent/child.pb.h"

namespace muster::agent {

// The plan's: "gloo" or "simulated". NOT_FOUND for others.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ChildOrder& order);

// Names that MakeBackend knows.
std::vector<std::string> BackendNames();

}  // namespace muster::agent
