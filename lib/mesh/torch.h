#pragma once
// The dialect torch as a Mesh: one family a dimension, outermost first, then one a flattened dimension.

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/mesh.h"
#include "lib/mesh/torch_spec.h"

namespace muster::mesh {

// Workers outside the mesh are legal: they have no coordinates and no groups, and Mesh::notes() counts them. Refused
// with the rules of device_mesh.h; dims without names have "axis_names_invalid" if only some have none, and can't be
// flattened.
absl::StatusOr<std::shared_ptr<const Mesh>> MakeTorchMesh(const TorchSpec& spec, Compat compat, int64_t world);

}  // namespace muster::mesh
