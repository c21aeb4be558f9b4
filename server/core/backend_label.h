#pragma once
// How placement knows which self-tests a node can run: as a label of the node, which a job that asks for a backend
// selects.

#include <string>

#include "absl/strings/str_cat.h"

namespace muster::core {

inline constexpr char kHasBackend[] = "true";

inline std::string BackendLabel(const std::string& backend) { return absl::StrCat("muster.dev/backend-", backend); }

}  // namespace muster::core
