#pragma once
// What a started command finds in its environment: the names that torchrun, DeepSpeed, Megatron, JAX and MPI-style
// scripts read, and Muster's own. A pure function of the assignment.

#include <cstdint>
#include <map>
#include <string>

#include "proto/muster/v1/assignment.pb.h"

namespace muster::worker {

using Environment = std::map<std::string, std::string>;

struct Endpoint {
  std::string server;  // host:port of the coordinator
};

// For a command that runs once a worker: RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, GROUP_RANK, NODE_RANK,
// MASTER_ADDR, MASTER_PORT, JAX_* with one process a worker, PET_*, and MUSTER_* with this worker's coordinates and
// groups.
Environment WorkerEnvironment(const v1::Assignment& assignment, int32_t local_rank, const Endpoint& endpoint);

// For a command that runs once a member and makes its own workers (torchrun): the same without RANK and LOCAL_RANK,
// JAX_* with one process a member, and PET_* so that torchrun's static rendezvous takes the node rank from here.
Environment MemberEnvironment(const v1::Assignment& assignment, const Endpoint& endpoint);

}  // namespace muster::worker
