#pragma once
// The dialect megatron: the rank mathematics of Megatron-LM's megatron/core/parallel_state.py (d98e8a64; before the
// generalized tensor axis 2d7060f4).

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/megatron_spec.h"
#include "lib/mesh/mesh.h"

namespace muster::mesh {

// Refused as CheckMegatronSpec (megatron_degrees.h) and AddAllGatherFamilies (megatron_all_gather.h) say.
absl::StatusOr<std::shared_ptr<const Mesh>> MakeMegatronMesh(const MegatronSpec& spec, Compat compat, int64_t world);

}  // namespace muster::mesh
