#include "client/cli/submit.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/follow.h"
#include "client/cli/job_source.h"
#include "client/cli/names.h"

namespace muster::cli {
namespace {

class SubmitCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    source_.Declare(flags);
    flags.Switch(&wait_, "wait", "follow the job to its end; the exit code is its result");
  }

  absl::StatusOr<int> Run(Context& context) override {
    const absl::StatusOr<JobFile> file = source_.Read(context.in);
    if (!file.ok()) return Refused(context, file.status());
    v1::SubmitRequest request;
    request.set_namespace_(file->ns);
    request.set_name(file->name);
    *request.mutable_spec() = file->spec;
    request.set_request_id(context.fresh_id());
    const absl::StatusOr<v1::SubmitResponse> answer = context.coordinator().Submit(request);
    if (!answer.ok()) {
      const bool about_file = absl::IsInvalidArgument(answer.status());
      return Refused(context, about_file ? AboutFile(WithLine(answer.status(), *file)) : answer.status());
    }
    Say(context, answer->job());
    if (!wait_) return answer->job().result() == v1::FAILED ? kExitNo : kExitOk;
    v1::JobRef ref;
    ref.set_uid(answer->job().uid());
    return FollowJob(context, ref);
  }

 private:
  void Say(Context& context, const v1::Job& job) const {
    if (ForPrograms(context.format)) {
      // The first document of a watch is the same job.
      if (!wait_) PrintDocument(context.out, context.format, job);
      return;
    }
    if (context.format == Format::kName) {
      context.out.Line(JobName(job));
      return;
    }
    context.out.Line({Span(JobName(job), Style::kBold), " submitted"});
    for (const std::string& note : job.notes()) context.out.Line({Span("note: ", Style::kDim), note});
    if (wait_) return;
    context.out.Line(
        {Span(StateWord(job), StateStyle(job)), job.why().empty() ? "" : absl::StrCat(": ", WhyText(job))});
    if (job.phase() == v1::FINISHED) return;
    context.out.Line(
        {Span("next: ", Style::kDim), absl::StrCat("muster watch job ", TypedName(job.namespace_(), job.name()))});
  }

  static int Refused(Context& context, const absl::Status& status) {
    PrintError(context.err, status);
    // After a lost connection nobody knows.
    const ExitCode code = ExitCodeOf(status);
    if (code == kExitInvalid || code == kExitRefused) context.err.Line("nothing was submitted");
    return code;
  }

  JobSource source_;
  bool wait_ = false;
};

}  // namespace

void AddSubmitCommand(std::vector<CommandInfo>& commands) {
  commands.push_back(
      {"submit", "", "hand in a job",
       "muster submit -f job.yaml\nmuster submit -f job.yaml --wait   # until it ends; exit code by its result",
       Make<SubmitCommand>});
}

}  // namespace muster::cli
