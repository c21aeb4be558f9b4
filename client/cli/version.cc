#include "client/cli/version.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"

namespace muster::cli {
namespace {

class VersionCommand final : public Command {
 public:
  void Declare(FlagSet&) override {}
  absl::StatusOr<int> Run(Context& context) override {
    context.out.Line(absl::StrCat("muster ", kVersion, "   contract muster.v1"));
    return kExitOk;
  }
};

}  // namespace

void AddVersionCommand(std::vector<CommandInfo>& commands) {
  commands.push_back({.verb = "version",
                      .noun = "",
                      .summary = "this program's version",
                      .examples = "",
                      .make = Make<VersionCommand>,
                      .calls = false,
                      .prints = false});
}

}  // namespace muster::cli
