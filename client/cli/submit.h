#pragma once
// submit: a job file becomes a job.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddSubmitCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
