#pragma once
// How an assignment gets its groups and coordinates.

#include <functional>

#include "absl/status/status.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {

// Adds `families`, and with `local_rank` set also `dense` and `expert`, to an assignment that has its mesh, node_rank,
// workers_per_member and world. A pure function; null for jobs without a mesh. An error is the spec's fault.
using MeshPart = std::function<absl::Status(v1::Assignment&)>;

}  // namespace muster::gang
