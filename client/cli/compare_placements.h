#pragma once
// compare placements: two ways to place one job, side by side.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

void AddComparePlacements(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
