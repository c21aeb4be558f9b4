#pragma once
// What a user asks of a mesh: plain values, not yet checked. Each dialect's part is in its own header.

#include <variant>

#include "lib/mesh/compat.h"
#include "lib/mesh/deepspeed_spec.h"
#include "lib/mesh/megatron_spec.h"
#include "lib/mesh/nemo_spec.h"
#include "lib/mesh/torch_spec.h"

namespace muster::mesh {

struct MeshSpec {
  Compat compat = Compat::kCareful;
  // The alternative is the dialect.
  std::variant<MegatronSpec, DeepSpeedSpec, TorchSpec, NemoSpec> dialect;
};

}  // namespace muster::mesh
