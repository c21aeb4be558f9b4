#pragma once
// From the contract's mesh to lib/mesh's: pure translation, each field in its place.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/mesh/mesh_spec.h"
#include "proto/muster/v1/mesh.pb.h"

namespace muster {

// INVALID_ARGUMENT naming spec.mesh…: an unknown dialect or (megatron) axis, with the nearest known name; a size below
// 1; an axis given twice; options of another dialect.
absl::StatusOr<mesh::MeshSpec> MeshSpecOf(const v1::MeshSpec& spec);

// The dialects, and the axes that a dialect knows (empty: it takes any).
const std::vector<std::string>& DialectNames();
const std::vector<std::string>& AxisNames(absl::string_view dialect);

}  // namespace muster
