#pragma once
// muster simulate: a trace of jobs on a cluster in virtual time, without a coordinator.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddSimulateCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
