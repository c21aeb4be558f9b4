#pragma once
// version.

#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

inline constexpr char kVersion[] = "0.1.0";

void AddVersionCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
