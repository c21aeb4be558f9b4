#pragma once
// groups: who is with whom.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddGroupsCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
