#include "client/cli/node_verbs.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/look.h"
#include "client/cli/names.h"
#include "client/cli/node_view.h"

namespace muster::cli {
namespace {

class NodeCommand : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&names_, "NAME", 1, 1000); }

  // One after the other; the first that fails ends it, and is named.
  absl::StatusOr<int> Run(Context& context) override {
    if (absl::Status valid = Check(); !valid.ok()) return valid;
    const Look look{context.now(), context.zone, context.wide()};
    for (const std::string& name : names_) {
      const absl::StatusOr<v1::Node> node = Do(context, name);
      if (!node.ok()) {
        return absl::IsNotFound(node.status()) ? WithWayOut(node.status(), "nodes there are: muster get nodes")
                                               : node.status();
      }
      if (ForPrograms(context.format)) {
        PrintDocument(context.out, context.format, *node);
      } else if (context.format == Format::kName) {
        context.out.Line(node->info().name());
      } else {
        context.out.Line(
            {Span(node->info().name(), Style::kBold), "  ",
             Span(ConditionText(look, *node), ConditionStyle(node->condition())),
             node->job().empty() ? "" : absl::StrCat("   still ", UseWord(node->use()), ": ", node->job())});
      }
    }
    return kExitOk;
  }

 protected:
  virtual absl::Status Check() const { return absl::OkStatus(); }
  virtual absl::StatusOr<v1::Node> Do(Context& context, const std::string& name) = 0;

 private:
  std::vector<std::string> names_;
};

class QuarantineCommand final : public NodeCommand {
 public:
  void Declare(FlagSet& flags) override {
    NodeCommand::Declare(flags);
    flags.Text(&reason_, "reason", "TEXT", "why, at most 256 characters; required");
    flags.Time(&duration_, "for", "TIME", "until it lets itself back, e.g. 2h, 7d; default: until readmitted");
  }

 private:
  absl::Status Check() const override {
    if (!reason_.empty()) return absl::OkStatus();
    return UsageError("muster quarantine node needs --reason", "say what is wrong, e.g. --reason \"NIC mlx5_3 slow\"");
  }
  absl::StatusOr<v1::Node> Do(Context& context, const std::string& name) override {
    v1::QuarantineRequest request;
    request.set_name(name);
    request.set_reason(reason_);
    if (duration_) *request.mutable_duration() = ToProto(*duration_);
    return context.coordinator().Quarantine(request);
  }

  std::string reason_;
  absl::optional<absl::Duration> duration_;
};

class ReadmitCommand final : public NodeCommand {
  absl::StatusOr<v1::Node> Do(Context& context, const std::string& name) override {
    v1::ReadmitRequest request;
    request.set_name(name);
    return context.coordinator().Readmit(request);
  }
};

class DrainCommand final : public NodeCommand {
 public:
  void Declare(FlagSet& flags) override {
    NodeCommand::Declare(flags);
    flags.Text(&reason_, "reason", "TEXT", "why, at most 256 characters");
  }

 private:
  absl::StatusOr<v1::Node> Do(Context& context, const std::string& name) override {
    v1::DrainRequest request;
    request.set_name(name);
    request.set_reason(reason_);
    return context.coordinator().Drain(request);
  }

  std::string reason_;
};

}  // namespace

void AddNodeVerbs(std::vector<CommandInfo>& commands) {
  commands.push_back({"quarantine", "node", "keep nodes from new gangs; a running job keeps them",
                      "muster quarantine node gpu-c07 --reason \"NIC mlx5_3 slow\" --for 2h", Make<QuarantineCommand>});
  commands.push_back({"readmit", "node", "let quarantined or draining nodes back", "muster readmit node gpu-c07",
                      Make<ReadmitCommand>});
  commands.push_back({"drain", "node", "let nodes keep what they have and get nothing new",
                      "muster drain node gpu-c07 --reason maintenance", Make<DrainCommand>});
}

}  // namespace muster::cli
