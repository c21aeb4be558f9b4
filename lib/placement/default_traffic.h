#pragma once
// What a mesh's traffic weighs where the job doesn't say.

#include <vector>

#include "lib/mesh/mesh.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// Weights a hop, after the sensitivity that Arnold measured (arXiv 2509.15940: bad placement costs point-to-point up to
// 70 %, collectives up to 17 %): pp 70 as a chain; cp 70, also point-to-point; gradients 17 on the ring that they take,
// dp_cp; tp 300, several blocking all-reduces a layer; with experts ep max(1, 140/ep) a pair, so that a rank's
// all-to-all weighs as much as a ring of 70, and ep_dp 17.
//
// Other dialects: the same by the axes' names as frameworks have them (tensor, model_parallel, pipe, data, context …),
// 17 for an axis of any other name. Families of singletons are left out. In the mesh's axis order, fastest first; then
// the experts'.
std::vector<v1::TrafficItem> DefaultTraffic(const mesh::Mesh& mesh);

}  // namespace muster::placement
