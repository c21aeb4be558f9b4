#pragma once
// What an agent is told at its start.

#include <map>
#include <string>

#include "absl/time/time.h"
#include "client/agent/child.pb.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::agent {

struct AgentSetting {
  // host:port of the coordinator.
  std::string server;
  v1::NodeInfo node;
  // Data folder, absolute.
  std::string data;
  // The executables that children run.
  std::string agent_program;
  std::string muster_program;
  // Of the simulated backend.
  Faults faults;
};

}  // namespace muster::agent
