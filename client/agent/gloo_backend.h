#pragma once
// Collectives by Gloo over TCP. One mesh of connections a group, kept over the steps of its family; each time-out is
// the step's deadline. Gloo aborts the process on a peer's size mismatch and spoils a context on any error, which is
// why this runs in a child that may be killed.

#include <memory>
#include <string>

#include "client/agent/backend.h"

namespace muster::agent {

// `address`: this node's, IP or name, that the peers reach; one of its interfaces must have it (else Open fails with
// "config: …"). Ignores SIGPIPE in this process.
std::unique_ptr<Backend> MakeGlooBackend(const std::string& address);

}  // namespace muster::agent
