#pragma once
// The dialect nemo as a Mesh. NamedSharding creates no communicators: the families say who is with whom.

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/mesh.h"
#include "lib/mesh/nemo_spec.h"

namespace muster::mesh {

// One family an axis, outermost first, named after it; then, with a data_parallel axis, `lane`: group i holds all
// workers of data lane i, weight shards (gtp_weight_remat) counted as lanes of their own, lane = d·G + g, where the two
// axes are neighbours.
//
// Refused with the rules of named_sharding.h and nemo_dispatch.h; "layout_covers_world" if the layout is no permutation
// of 0..world-1.
absl::StatusOr<std::shared_ptr<const Mesh>> MakeNemoMesh(const NemoSpec& spec, Compat compat, int64_t world);

}  // namespace muster::mesh
