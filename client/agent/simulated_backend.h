#pragma once
// No traffic, but real rendezvous: the members exchange their nodes' faults through the key-value store, so that each
// knows what the slowest or the corrupting one does to the group. Tests everything but the network.

#include <cstdint>
#include <memory>
#include <string>

#include "client/agent/backend.h"

namespace muster::agent {

// Deterministic by `seed`. Workers with the same `node` count as one machine. faults.hang: Run never returns.
std::unique_ptr<Backend> MakeSimulatedBackend(const std::string& node, const Faults& faults, uint64_t seed);

}  // namespace muster::agent
