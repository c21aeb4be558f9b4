#pragma once
// How many files and connections this process may have open.

#include <cstdint>

namespace muster::musterd {

// Raises the soft limit to the hard one and returns what holds now; -1: unknown. Each agent, member and client is a
// connection, and gRPC's listener never accepts again once accept() has failed for want of descriptors: the usual soft
// limit of 1,024 would end the service for good at the first crowd.
int64_t RaiseOpenFiles();

}  // namespace muster::musterd
