#pragma once
// What a user asks of the dialect torch, named as PyTorch's DeviceMesh names it.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/grid.h"

namespace muster::mesh {

// In which order the groups of one dimension are created; their members are the same.
enum class GroupOrder {
  kComplement,  // newer: one group an offset of the complement layout, ascending
  kSwapDims,    // older: the dimension swapped with the last one, the rest row-major
};

struct FlattenedDim {
  std::vector<std::string> dims;
  std::string name;  // empty: the names joined by '_'
};

struct TorchSpec {
  // Outermost first. Either all dimensions have names or none.
  std::vector<Axis> dims;
  // The mesh tensor row-major, if it is not 0, 1, 2 ...: a permutation, or a part of the world.
  std::vector<int64_t> ranks;
  // Flattened after the mesh is made, in this order.
  std::vector<FlattenedDim> flattened;
  GroupOrder group_order = GroupOrder::kComplement;
};

// Hybrid sharding: parameters are sharded over dp_shard and replicated over dp_replicate; dp = dp_replicate · dp_shard.
struct HybridDegrees {
  int64_t pp = 1;
  int64_t dp_replicate = 1;
  int64_t dp_shard = 1;
  int64_t cp = 1;
  int64_t tp = 1;
};

// Dimensions pp, dp_replicate, dp_shard, cp, tp; flattened are what a trainer needs beside them: the batch
// (dp_replicate_dp_shard), the parameter shards (dp_shard_cp) and the loss (dp_replicate_dp_shard_cp).
TorchSpec HybridShardSpec(const HybridDegrees& degrees);

}  // namespace muster::mesh
