#pragma once
// From the command line to a command and its exit code.

#include <string>
#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

// `pieces` without the program's name. Prints answers to context.out and errors to context.err; returns the exit code.
int Run(const std::vector<std::string>& pieces, const std::vector<CommandInfo>& commands, Context& context);

}  // namespace muster::cli
