#pragma once
// explain: why a job is where it is, and what would help.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddExplainCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
