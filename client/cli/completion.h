#pragma once
// completion bash: a script that completes verbs, nouns, flags and, by asking the coordinator, names.

#include <string>
#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

std::string BashCompletion(const std::vector<CommandInfo>& commands);

void AddCompletionCommand(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
