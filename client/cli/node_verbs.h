#pragma once
// quarantine, readmit, drain.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddNodeVerbs(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
