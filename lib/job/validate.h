#pragma once
// Whether a job can be taken in at all, before anything is stored: every rule of the contract's comments.

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"

namespace muster {

// INVALID_ARGUMENT with the field's path as in a job file ("spec.placement.slices[0].size"), its value and the way out;
// the first offence in the contract's field order. `ns` may be empty (= "default"). Includes the mesh for the world.
absl::Status ValidateJob(absl::string_view ns, absl::string_view name, const v1::JobSpec& spec);

// The mesh of a valid or invalid spec; null where it has none. Errors name spec.mesh….
absl::StatusOr<std::shared_ptr<const mesh::Mesh>> MeshOf(const v1::JobSpec& spec);

// A DNS label: 1..63 of a-z, 0-9 and '-', ends alphanumeric.
absl::Status ValidateDnsLabel(absl::string_view field, absl::string_view value);

}  // namespace muster
