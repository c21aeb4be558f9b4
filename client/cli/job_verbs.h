#pragma once
// watch, explain, cancel.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddJobVerbs(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
