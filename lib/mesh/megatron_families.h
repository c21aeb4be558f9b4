#pragma once
// The families of Megatron, in its creation order.

#include "lib/mesh/megatron_degrees.h"
#include "lib/mesh/megatron_spec.h"
#include "lib/mesh/mesh_builder.h"

namespace muster::mesh {

// Adds every family that upstream creates for these degrees, in turns where it interleaves them, and an alias for each
// that it reuses another for.
void AddMegatronFamilies(const MegatronSpec& spec, const MegatronDegrees& degrees, MeshBuilder& builder);

}  // namespace muster::mesh
