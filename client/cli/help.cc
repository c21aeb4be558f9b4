#include "client/cli/help.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/escape.h"
#include "client/cli/exit_code.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

// What of a command is asked for its help without running it.
struct Declared {
  FlagSet flags;
  std::unique_ptr<Command> command;
  std::string server, format;
  absl::optional<absl::Duration> timeout;

  explicit Declared(const CommandInfo& info) : flags(CommandName(info)), command(info.make()) {
    command->Declare(flags);
    DeclareCommon(info, flags, &server, &timeout, &format);
  }
};

std::string UsageOf(const CommandInfo& info) {
  const Declared declared(info);
  const std::string arguments = declared.flags.ArgumentsText();
  return absl::StrCat(CommandName(info), declared.flags.flags().empty() ? "" : " [flags]", arguments.empty() ? "" : " ",
                      arguments);
}

class HelpCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&words_, "COMMAND", 0, 2); }
  absl::StatusOr<int> Run(Context& context) override {
    if (words_.empty()) {
      context.out.Block(Overview(*context.commands));
      return kExitOk;
    }
    const std::string text = HelpOf(*context.commands, words_[0], words_.size() > 1 ? words_[1] : "");
    if (text.empty()) {
      std::vector<std::string> verbs;
      for (const CommandInfo& info : *context.commands) verbs.push_back(info.verb);
      const std::string nearest = NearestName(words_[0], verbs);
      return UsageError(absl::StrCat("no command is called \"", absl::StrJoin(words_, " "), "\"",
                                     nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")),
                        "all commands: muster help");
    }
    context.out.Block(text);
    return kExitOk;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::string CommandName(const CommandInfo& info) {
  return absl::StrCat("muster ", info.verb, info.noun.empty() ? "" : " ", info.noun);
}

void DeclareCommon(const CommandInfo& info, FlagSet& flags, std::string* server,
                   absl::optional<absl::Duration>* timeout, std::string* format) {
  if (info.prints) flags.Text(format, "output,o", "FORMAT", "table (default), wide, json, yaml or name");
  if (!info.calls) return;
  flags.Text(server, "server", "HOST:PORT", "the coordinator; else MUSTER_SERVER, else 127.0.0.1:7070");
  flags.Time(timeout, "timeout", "TIME", "give up after this long, e.g. 30s");
}

std::string Overview(const std::vector<CommandInfo>& commands) {
  std::string out =
      "muster assembles a gang, ranks it by topology, and inspects it before it marches\n"
      "\n"
      "usage: muster VERB [NOUN] [NAME] [flags]\n\n";
  size_t width = 0;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CommandInfo& info : commands) {
    rows.emplace_back(absl::StrCat(info.verb, info.noun.empty() ? "" : " ", info.noun), info.summary);
    width = std::max(width, Width(rows.back().first));
  }
  for (const auto& [name, summary] : rows) {
    absl::StrAppend(&out, "  ", name, std::string(width - Width(name) + 2, ' '), summary, "\n");
  }
  absl::StrAppend(&out, "\nmuster help VERB tells more; -o wide, json and yaml show more of the same.\n");
  return out;
}

std::string HelpOf(const std::vector<CommandInfo>& commands, const std::string& verb, const std::string& noun) {
  std::vector<const CommandInfo*> found;
  for (const CommandInfo& info : commands) {
    if (info.verb == verb &&
        (noun.empty() || info.noun == noun || info.noun == noun + "s" || info.noun + "s" == noun)) {
      found.push_back(&info);
    }
  }
  std::string out;
  for (const CommandInfo* info : found) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", "usage: ", UsageOf(*info), "\n  ", info->summary, "\n");
    if (!info->examples.empty()) {
      absl::StrAppend(&out, "\nfor example\n");
      for (absl::string_view line : absl::StrSplit(info->examples, '\n')) absl::StrAppend(&out, "  ", line, "\n");
    }
    const std::string flags = Declared(*info).flags.FlagsText();
    if (!flags.empty()) absl::StrAppend(&out, "\nflags\n", flags);
  }
  return out;
}

void AddHelpCommands(std::vector<CommandInfo>& commands) {
  commands.push_back({.verb = "help",
                      .noun = "",
                      .summary = "what a command does and takes",
                      .examples = "muster help get jobs",
                      .make = Make<HelpCommand>,
                      .calls = false,
                      .prints = false});
}

}  // namespace muster::cli
