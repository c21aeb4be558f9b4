#pragma once

#include "lib/mesh/megatron_spec.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

// The spec of a configuration of megatron.json of kind initialize or all_gather_groups. Throws std::invalid_argument
// for an argument that nobody knows.
mesh::MegatronSpec MegatronSpecOf(const Json& config);

}  // namespace muster::conformance
