#pragma once
// Makes what a release hands out: the assignment of every member (and worker) of one epoch.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/gang/released.h"
#include "lib/gang/state.h"

namespace muster::gang {

// Members that rendezvous where neither the job nor node rank 0's client names a port.
inline constexpr int32_t kDefaultLeaderPort = 29500;

// The assignments of `epoch` for the gang's present placement, with `ranks` by pod index (a bijection, Seats::Rank).
// Precondition: every member is known. Fails only where the mesh does (the spec's fault), naming what is wrong.
absl::StatusOr<ReleasedPtr> MakeReleased(const Gang& gang, const std::vector<NodeRank>& ranks, Epoch epoch);

}  // namespace muster::gang
