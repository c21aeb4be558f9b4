#pragma once
// exec: be a member of a gang.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddExecCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
