#pragma once
// get jobs, get nodes, get receipts: lists.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddGetCommands(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
