#include "client/cli/job_verbs.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/follow.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"

namespace muster::cli {
namespace {

constexpr char kNamespaceHelp[] = "the job's namespace, unless NAME says it (NAMESPACE/NAME); default \"default\"";

// What commands about one job share.
class JobCommand : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NAME", 1, 1);
    flags.Text(&namespace_, "namespace,n", "NAME", kNamespaceHelp);
  }
  absl::StatusOr<int> Run(Context& context) override {
    const absl::StatusOr<v1::JobRef> ref = ParseJobName(names_[0], namespace_);
    if (!ref.ok()) return ref.status();
    absl::StatusOr<int> code = RunOn(context, *ref);
    if (absl::IsNotFound(code.status())) return WithWayOut(code.status(), "jobs there are: muster get jobs --all");
    return code;
  }

 protected:
  virtual absl::StatusOr<int> RunOn(Context& context, const v1::JobRef& ref) = 0;

 private:
  std::vector<std::string> names_;
  std::string namespace_;
};

class WatchCommand final : public JobCommand {
  absl::StatusOr<int> RunOn(Context& context, const v1::JobRef& ref) override { return FollowJob(context, ref); }
};

class CancelCommand final : public JobCommand {
 public:
  void Declare(FlagSet& flags) override {
    JobCommand::Declare(flags);
    flags.Text(&reason_, "reason", "TEXT", "shown to people, at most 256 characters");
  }

 private:
  absl::StatusOr<int> RunOn(Context& context, const v1::JobRef& ref) override {
    v1::CancelJobRequest request;
    *request.mutable_job() = ref;
    request.set_reason(reason_);
    const absl::StatusOr<v1::Job> job = context.coordinator().Cancel(request);
    if (!job.ok()) return job.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *job);
    } else if (context.format == Format::kName) {
      context.out.Line(JobName(*job));
    } else {
      context.out.Line(
          {Span(JobName(*job), Style::kBold), " ", Span(StateWord(*job), StateStyle(*job)),
           job->why().empty() || WhyText(*job) == StateWord(*job) ? "" : absl::StrCat(": ", WhyText(*job))});
      if (const std::string next = NextCommand(*job); !next.empty()) {
        context.out.Line({Span("next: ", Style::kDim), next});
      }
    }
    return kExitOk;
  }

  std::string reason_;
};

}  // namespace

void AddJobVerbs(std::vector<CommandInfo>& commands) {
  commands.push_back({"watch", "job", "follow a job to its end; the exit code is its result",
                      "muster watch job team-a/llama", Make<WatchCommand>});
  commands.push_back({"cancel", "job", "end a job, whatever it does", "muster cancel job llama --reason \"wrong data\"",
                      Make<CancelCommand>});
}

}  // namespace muster::cli
