#pragma once

#include "lib/mesh/compat.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

// Computes one configuration of megatron.json by lib/mesh and tells every difference. Throws Json's exceptions where
// the configuration lacks what its kind needs.
void CompareMegatron(const Json& config, mesh::Compat compat, Differences& differences);

}  // namespace muster::conformance
