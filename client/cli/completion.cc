#include "client/cli/completion.h"

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_code.h"
#include "client/cli/help.h"

namespace muster::cli {
namespace {

// What a noun's names are listed by.
std::string ListOf(const std::string& noun) {
  if (absl::StartsWith(noun, "job")) return "jobs --all";
  if (absl::StartsWith(noun, "node")) return "nodes";
  if (absl::StartsWith(noun, "receipt")) return "receipts";
  return "";
}

std::string FlagsOf(const CommandInfo& info) {
  FlagSet flags(CommandName(info));
  std::string server, format;
  absl::optional<absl::Duration> timeout;
  const std::unique_ptr<Command> command = info.make();
  command->Declare(flags);
  DeclareCommon(info, flags, &server, &timeout, &format);
  std::vector<std::string> names = {"--help"};
  for (const FlagInfo& flag : flags.flags()) names.push_back(absl::StrCat("--", flag.name));
  return absl::StrJoin(names, " ");
}

class CompletionCommand final : public Command {
 public:
  void Declare(FlagSet&) override {}
  absl::StatusOr<int> Run(Context& context) override {
    context.out.Raw(BashCompletion(*context.commands));
    return kExitOk;
  }
};

}  // namespace

std::string BashCompletion(const std::vector<CommandInfo>& commands) {
  std::set<std::string> verbs;
  std::map<std::string, std::set<std::string>> nouns;
  std::string flags, names;
  for (const CommandInfo& info : commands) {
    verbs.insert(info.verb);
    if (!info.noun.empty()) nouns[info.verb].insert(info.noun);
    absl::StrAppend(&flags, "    ", info.verb, info.noun.empty() ? "" : absl::StrCat("-", info.noun), ") flags=\"",
                    FlagsOf(info), "\" ;;\n");
    if (!info.noun.empty() && !ListOf(info.noun).empty()) {
      absl::StrAppend(&names, "    ", info.verb, "-", info.noun, ") list=\"", ListOf(info.noun), "\" ;;\n");
    }
  }
  std::string noun_cases;
  for (const auto& [verb, of_verb] : nouns) {
    absl::StrAppend(&noun_cases, "    ", verb, ") nouns=\"", absl::StrJoin(of_verb, " "), "\" ;;\n");
  }
  return absl::StrCat(R"sh(# bash completion of muster. Load it with: source <(muster completion bash)
_muster() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="" verb="${COMP_WORDS[1]:-}" nouns="" flags="" list="" key
  ((COMP_CWORD > 0)) && prev="${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W ")sh",
                      absl::StrJoin(verbs, " "), R"sh(" -- "$cur")
    return
  fi
  case "$prev" in
    -f | --file | --nodes)
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
      ;;
    -o | --output)
      mapfile -t COMPREPLY < <(compgen -W "table wide json yaml name" -- "$cur")
      return
      ;;
    --job)
      mapfile -t COMPREPLY < <(compgen -W "$(muster get jobs --all -o name --timeout 2s 2>/dev/null)" -- "$cur")
      return
      ;;
  esac
  case "$verb" in
)sh",
                      noun_cases, R"sh(  esac
  key="$verb"
  if [[ -n "$nouns" ]]; then
    if ((COMP_CWORD == 2)); then
      mapfile -t COMPREPLY < <(compgen -W "$nouns" -- "$cur")
      return
    fi
    key="$verb-${COMP_WORDS[2]}"
  fi
  case "$key" in
)sh",
                      flags, R"sh(  esac
  if [[ "$cur" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
    return
  fi
  case "$key" in
)sh",
                      names, R"sh(  esac
  if [[ -n "$list" ]]; then
    # shellcheck disable=SC2086  # may be two words
    mapfile -t COMPREPLY < <(compgen -W "$(muster get $list -o name --timeout 2s 2>/dev/null)" -- "$cur")
  fi
}
complete -o default -F _muster muster
)sh");
}

void AddCompletionCommand(std::vector<CommandInfo>& commands) {
  commands.push_back({.verb = "completion",
                      .noun = "bash",
                      .summary = "a script that completes verbs, nouns, flags and names",
                      .examples = "source <(muster completion bash)",
                      .make = Make<CompletionCommand>,
                      .calls = false,
                      .prints = false});
}

}  // namespace muster::cli
