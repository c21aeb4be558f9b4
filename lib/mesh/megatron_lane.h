#pragma once
// Which share of the data a worker of a Megatron job reads.

#include <cstdint>

#include "absl/types/optional.h"
#include "lib/mesh/mesh.h"

namespace muster::mesh {

struct Lane {
  int64_t index = 0;  // 0..count-1
  int64_t count = 1;
  friend bool operator==(const Lane&, const Lane&) = default;
};

// The data-parallel rank and size that Megatron's getters return: weight shards (gtp) counted in.
// nullopt for a rank outside the mesh, or a mesh of another dialect.
absl::optional<Lane> DataParallelLane(const Mesh& mesh, GlobalRank rank);

// The same with `replicate`: the replica of the weights, gtp not counted in.
absl::optional<Lane> ReplicaLane(const Mesh& mesh, GlobalRank rank);

}  // namespace muster::mesh
