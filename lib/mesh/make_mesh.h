#pragma once
// From what a user asks to a Mesh.

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/mesh/mesh.h"
#include "lib/mesh/mesh_spec.h"

namespace muster::mesh {

// INVALID_ARGUMENT, with the broken rule's name (refusal.h) and a message that names field, value, numbers and a way
// out, if `world` workers cannot form this mesh. Costs O(families), whatever the world: hostile sizes are safe.
absl::StatusOr<std::shared_ptr<const Mesh>> MakeMesh(const MeshSpec& spec, int64_t world);

}  // namespace muster::mesh
