#pragma once
// Which units belong to which replica: the coordinate on one axis, where no node holds two.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::placement {

// By unit, each coordinate for equally many units. INVALID_ARGUMENT, naming spec.placement.apart: no mesh, no such axis
// in it, nodes that hold several coordinates, a last node that isn't full, or together with slices or counts by domain;
// RESOURCE_EXHAUSTED: more than 16,777,216 workers.
absl::StatusOr<std::vector<int32_t>> ReplicasOf(const v1::JobSpec& spec, const mesh::Mesh* mesh, int32_t units,
                                                int64_t workers_per_unit);

}  // namespace muster::placement
