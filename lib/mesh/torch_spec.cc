#include "lib/mesh/torch_spec.h"

namespace muster::mesh {

TorchSpec HybridShardSpec(const HybridDegrees& degrees) {
  TorchSpec spec;
  spec.dims = {{"pp", degrees.pp},
               {"dp_replicate", degrees.dp_replicate},
               {"dp_shard", degrees.dp_shard},
               {"cp", degrees.cp},
               {"tp", degrees.tp}};
  spec.flattened = {
      {{"dp_replicate", "dp_shard"}, ""}, {{"dp_shard", "cp"}, ""}, {{"dp_replicate", "dp_shard", "cp"}, ""}};
  return spec;
}

}  // namespace muster::mesh
