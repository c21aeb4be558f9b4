#pragma once
// What follows from a job's spec, made once a job: its mesh, how its assignments get their groups, its placement
// request.

#include "absl/status/status.h"
#include "server/core/job_table.h"

namespace muster::core {

// INVALID_ARGUMENT naming the field: the spec has no such mesh or request.
absl::Status Derive(Job& job);

}  // namespace muster::core
