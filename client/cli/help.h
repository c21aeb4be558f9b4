#pragma once
// What there is, and how it is called.

#include <string>
#include <vector>

#include "client/cli/command.h"

namespace muster::cli {

// "muster get jobs".
std::string CommandName(const CommandInfo& info);

// The flags that many commands share: --server and --timeout where it calls, -o where it prints.
void DeclareCommon(const CommandInfo& info, FlagSet& flags, std::string* server,
                   absl::optional<absl::Duration>* timeout, std::string* format);

// All commands, one line each.
std::string Overview(const std::vector<CommandInfo>& commands);
// One verb with all its nouns (`noun` empty), or one of them: usage, what it does, examples, flags.
std::string HelpOf(const std::vector<CommandInfo>& commands, const std::string& verb, const std::string& noun);

void AddHelpCommands(std::vector<CommandInfo>& commands);

}  // namespace muster::cli
