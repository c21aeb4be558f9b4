#pragma once
// What an agent is told at its start.

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/agent/child.pb.h"
#include "client/agent/ledger.pb.h"
#include "client/agent/leftovers.h"
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
  // OwnOrigin(), and how what an agent before this one may have left is looked for; tests give their own.
  Origin origin;
  std::function<std::vector<pid_t>(const Origin&)> may_be_left_of = MayBeLeftOf;
};

}  // namespace muster::agent
