#include "client/cli/explain.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/explanation_view.h"
#include "client/cli/job_source.h"
#include "client/cli/names.h"
#include "client/cli/nodes_source.h"
#include "client/cli/plan_offline.h"

namespace muster::cli {
namespace {

class ExplainCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NAME", 0, 1);
    source_.Declare(flags);
    nodes_.Declare(flags);
  }

  absl::StatusOr<int> Run(Context& context) override {
    const bool submitted = !names_.empty();
    if (submitted == !source_.file.empty()) {
      return UsageError(submitted ? "NAME and --file are given" : "no job is named",
                        "name a submitted job, or give --file for one that isn't submitted");
    }
    if (submitted && (nodes_.given() || !nodes_.what_if.empty() || !source_.name.empty())) {
      return UsageError("--nodes, --what-if and --name go with --file", "give the job's file: -f job.yaml");
    }
    if (absl::Status status = nodes_.Check(); !status.ok()) return status;
    const absl::StatusOr<v1::Explanation> explanation = submitted ? OfSubmitted(context) : OfFile(context);
    if (!explanation.ok()) return explanation.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *explanation);
    } else {
      PrintExplanation(context.out, *explanation);
    }
    return kExitOk;
  }

 private:
  absl::StatusOr<v1::Explanation> OfSubmitted(Context& context) const {
    const absl::StatusOr<v1::JobRef> ref = ParseJobName(names_[0], source_.ns);
    if (!ref.ok()) return ref.status();
    v1::ExplainRequest request;
    *request.mutable_job() = *ref;
    absl::StatusOr<v1::Explanation> explanation = context.coordinator().Explain(request);
    if (absl::IsNotFound(explanation.status())) {
      return WithWayOut(explanation.status(), "jobs there are: muster get jobs --all");
    }
    return explanation;
  }

  absl::StatusOr<v1::Explanation> OfFile(Context& context) const {
    if (source_.file == "-" && nodes_.file == "-") {
      return UsageError("--file and --nodes can't both be standard input");
    }
    const absl::StatusOr<JobFile> job = source_.Read(context.in);
    if (!job.ok()) return job.status();
    const absl::StatusOr<v1::PlanResponse> plan =
        nodes_.given() ? PlanOffline(context, *job, nodes_) : PlanLive(context, *job, nodes_);
    if (!plan.ok()) return plan.status();
    return plan->explanation();
  }

  std::vector<std::string> names_;
  JobSource source_;
  NodesSource nodes_;
};

}  // namespace

void AddExplainCommand(std::vector<CommandInfo>& commands) {
  commands.push_back(
      {"explain", "job", "why a job is where it is, and what would help",
       "muster explain job llama\n"
       "muster explain job -f job.yaml --nodes nodes.json   # one that isn't submitted, on a file of nodes",
       Make<ExplainCommand>});
}

}  // namespace muster::cli
