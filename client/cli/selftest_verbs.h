#pragma once
// Self-tests on demand: of named nodes, of one node beside siblings that it is compared with, of a job's nodes in the
// job's own shape.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddSelfTestVerbs(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
