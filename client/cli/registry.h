#pragma once
// All commands, in the order in which help lists them.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

std::vector<CommandInfo> AllCommands();

}  // namespace muster::cli
