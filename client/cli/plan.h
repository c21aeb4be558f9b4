#pragma once
// plan: where a job would go, without submitting it.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddPlanCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
