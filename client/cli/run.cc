#include "client/cli/run.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_code.h"
#include "client/cli/help.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

constexpr char kDefaultServer[] = "127.0.0.1:7070";

std::vector<std::string> Unique(std::vector<std::string> names) {
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Verbs(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> verbs;
  for (const CommandInfo& command : commands) verbs.push_back(command.verb);
  std::sort(verbs.begin(), verbs.end());
  return Unique(std::move(verbs));
}

std::vector<std::string> Nouns(const std::vector<CommandInfo>& commands, const std::string& verb) {
  std::vector<std::string> nouns;
  for (const CommandInfo& command : commands) {
    if (command.verb == verb && !command.noun.empty()) nouns.push_back(command.noun);
  }
  return nouns;
}

// "job" and "jobs" are one noun.
bool SameNoun(const std::string& a, const std::string& b) { return a == b || a + "s" == b || a == b + "s"; }

// Flags that stand before the verb (`muster --server X get jobs`) are moved behind it.
std::vector<std::string> VerbFirst(std::vector<std::string> pieces) {
  size_t verb = 0;
  while (verb < pieces.size() && pieces[verb].size() > 1 && pieces[verb][0] == '-') {
    const std::string& flag = pieces[verb];
    const bool takes_value = flag == "--server" || flag == "--timeout" || flag == "--output" || flag == "-o" ||
                             flag == "--namespace" || flag == "-n";
    verb += takes_value ? 2 : 1;
  }
  if (verb >= pieces.size()) return pieces;
  // Behind the nouns, too, but never behind a "--".
  size_t end = verb + 1;
  while (end < pieces.size() && end < verb + 2 && pieces[end][0] != '-') ++end;
  std::rotate(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(verb),
              pieces.begin() + static_cast<ptrdiff_t>(end));
  return pieces;
}

absl::StatusOr<const CommandInfo*> Find(const std::vector<CommandInfo>& commands, std::vector<std::string>& pieces) {
  const std::string verb = pieces[0];
  pieces.erase(pieces.begin());
  const std::vector<std::string> verbs = Verbs(commands);
  if (!std::binary_search(verbs.begin(), verbs.end(), verb)) {
    const std::string nearest = NearestName(verb, verbs);
    return UsageError(absl::StrCat("\"", verb, "\": unknown command",
                                   nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")),
                      absl::StrCat("commands: ", absl::StrJoin(verbs, ", ")));
  }
  const std::vector<std::string> nouns = Nouns(commands, verb);
  if (nouns.empty()) {
    return &*std::find_if(commands.begin(), commands.end(), [&](const CommandInfo& c) { return c.verb == verb; });
  }
  const std::string example = absl::StrCat("muster ", verb, " ", nouns[0]);
  if (pieces.empty() || pieces[0].empty() || pieces[0][0] == '-') {
    return UsageError(absl::StrCat("muster ", verb, " needs a noun: ", absl::StrJoin(nouns, ", ")),
                      absl::StrCat("e.g. ", example));
  }
  // kubectl's other way to say it: job/NAME.
  std::string noun = pieces[0];
  pieces.erase(pieces.begin());
  const auto known = [&](const std::string& text) {
    return std::find_if(commands.begin(), commands.end(),
                        [&](const CommandInfo& c) { return c.verb == verb && SameNoun(c.noun, text); });
  };
  if (const size_t slash = noun.find('/');
      slash != std::string::npos && known(noun.substr(0, slash)) != commands.end()) {
    pieces.insert(pieces.begin(), noun.substr(slash + 1));
    noun.resize(slash);
  }
  if (const auto found = known(noun); found != commands.end()) return &*found;
  const std::string nearest = NearestName(noun, nouns);
  // A name without its noun, where the verb takes names.
  const bool name_alone = nearest.empty() && known(nouns[0])->calls;
  return UsageError(absl::StrCat("muster ", verb, ": expected ", nouns.size() == 1 ? "" : "one of ",
                                 absl::StrJoin(nouns, ", "), "; got \"", noun, "\""),
                    absl::StrCat("did you mean: muster ", verb, " ", nearest.empty() ? nouns[0] : nearest,
                                 name_alone ? " " : "", name_alone ? noun : ""));
}

bool AsksForHelp(const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces) {
    if (piece == "--") return false;
    if (piece == "--help" || piece == "-h") return true;
  }
  return false;
}

absl::StatusOr<int> RunCommand(const CommandInfo& info, const std::vector<std::string>& pieces, Context& context) {
  const std::unique_ptr<Command> command = info.make();
  std::string server, format = "table";
  FlagSet flags(CommandName(info));
  command->Declare(flags);
  DeclareCommon(info, flags, &server, &context.timeout, &format);
  if (absl::Status parsed = flags.Parse(pieces); !parsed.ok()) return parsed;
  const absl::StatusOr<Format> chosen = ParseFormat(format);
  if (!chosen.ok()) return chosen.status();
  context.format = *chosen;
  context.server = !server.empty() ? server : context.env("MUSTER_SERVER");
  if (context.server.empty()) context.server = kDefaultServer;
  return command->Run(context);
}

}  // namespace

int Run(const std::vector<std::string>& given, const std::vector<CommandInfo>& commands, Context& context) {
  context.commands = &commands;
  std::vector<std::string> pieces = VerbFirst(given);
  if (pieces.empty()) {
    context.out.Block(Overview(commands));
    return kExitOk;
  }
  if (pieces[0] == "--help" || pieces[0] == "-h") pieces[0] = "help";
  if (pieces[0] == "--version" || pieces[0] == "-V") pieces[0] = "version";
  // Help for a verb needs no noun.
  const std::vector<std::string> verbs = Verbs(commands);
  const bool one_verb = std::binary_search(verbs.begin(), verbs.end(), pieces[0]);
  if (one_verb && pieces.size() == 2 && AsksForHelp(pieces)) {
    context.out.Block(HelpOf(commands, pieces[0], ""));
    return kExitOk;
  }
  absl::StatusOr<const CommandInfo*> command = Find(commands, pieces);
  absl::StatusOr<int> code = kExitOk;
  if (!command.ok()) {
    code = command.status();
  } else {
    // What follows exec's command belongs to it.
    const size_t head = (*command)->verb == "exec" ? std::min<size_t>(pieces.size(), 1) : pieces.size();
    if (AsksForHelp({pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(head)})) {
      context.out.Block(HelpOf(commands, (*command)->verb, (*command)->noun));
      return kExitOk;
    }
    code = RunCommand(**command, pieces, context);
  }
  if (code.ok()) return *code;
  PrintError(context.err, code.status());
  return ExitCodeOf(code.status());
}

}  // namespace muster::cli
