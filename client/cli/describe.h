#pragma once
// describe job, describe node, describe receipt: one thing whole.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddDescribeCommands(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
