#pragma once
// A mesh that cannot be: the rule it breaks, by name, and a sentence for people.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace muster::mesh {

// INVALID_ARGUMENT with `message` (field, value, numbers, way out) and `rule` (stable, snake_case) as typed payload.
absl::Status Refuse(absl::string_view rule, absl::string_view message);

// The broken rule's name; empty if the status carries none.
std::string RuleOf(const absl::Status& status);

}  // namespace muster::mesh
