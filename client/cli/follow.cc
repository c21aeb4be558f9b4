#include "client/cli/follow.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/escape.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"

namespace muster::cli {
namespace {

constexpr absl::Duration kRetry = absl::Seconds(1);
constexpr size_t kStateWidth = 10;

// The reason without what is still being waited for, which changes with every node and member.
std::string Reason(const v1::Job& job) {
  const std::string why = WhyText(job);
  return why.substr(0, why.find("; waits for "));
}

class JobPrinter {
 public:
  explicit JobPrinter(Context& context) : context_(context) {}

  void Show(const v1::Job& job) {
    if (ForPrograms(context_.format)) {
      if (context_.format == Format::kYaml) context_.out.Raw("---\n");
      PrintDocument(context_.out, context_.format, job);
      last_ = job;
      return;
    }
    const bool moved = Moved(job);
    if (moved) told_.clear();
    const std::string now = job.has_test_progress() ? TestProgressText(job.test_progress()) : WhyText(job);
    if (moved || Tells(job)) {
      Line(job);
    } else if (now != now_) {
      context_.out.Progress(absl::StrCat("          ", PhaseWord(job.phase()), "  ", now, "  ", Since(job)));
    }
    told_.insert(Reason(job));
    now_ = now;
    last_ = job;
  }

  const v1::Job& last() const { return last_; }
  bool seen() const { return !last_.uid().empty() || !last_.name().empty(); }

 private:
  bool Moved(const v1::Job& job) const {
    return !seen() || job.phase() != last_.phase() || job.result() != last_.result() ||
           job.attempt() != last_.attempt() || job.epoch() != last_.epoch();
  }

  // Whether it is worth a line of its own within its phase: another reason to wait or to stop, not one member or node
  // more or less.
  bool Tells(const v1::Job& job) const {
    switch (job.phase()) {
      case v1::QUEUED:
      case v1::AWAITING:
        return job.why() != last_.why() || job.queue_position() != last_.queue_position();
      case v1::TESTING:
        return job.test_progress().round() != last_.test_progress().round() && job.test_progress().round() > 1;
      case v1::REPAIRING:
      case v1::STOPPING:
        return told_.count(Reason(job)) == 0;
      default:
        return false;
    }
  }

  std::string Since(const v1::Job& job) const {
    return job.has_phase_since() ? DurationText(context_.now() - FromProto(job.phase_since())) : "";
  }

  void Line(const v1::Job& job) {
    const std::string state = StateWord(job);
    std::vector<std::string> parts;
    if (const std::string why = WhyText(job); why != state) parts.push_back(why);
    if (job.queue_position() > 1 || (job.queue_position() == 1 && last_.queue_position() > 1)) {
      parts.push_back(absl::StrCat("position ", job.queue_position(), " in the queue"));
    }
    if (job.attempt() != last_.attempt() && seen()) parts.push_back(absl::StrCat("attempt ", job.attempt()));
    // Most reasons name it themselves.
    const std::string epoch = absl::StrCat("epoch ", job.epoch());
    if (job.epoch() != last_.epoch() && !absl::StrContains(absl::StrJoin(parts, " "), epoch)) parts.push_back(epoch);
    std::string rest = absl::StrJoin(parts, " · ");
    if (!rest.empty()) rest.insert(0, std::string(std::max(kStateWidth, state.size()) - state.size() + 2, ' '));
    context_.out.Line({Span(absl::FormatTime("%H:%M:%S", context_.now(), context_.zone), Style::kDim), "  ",
                       Span(state, StateStyle(job)), rest});
  }

  Context& context_;
  v1::Job last_;
  // Reasons that had their line in this phase, and what was shown last.
  std::set<std::string> told_;
  std::string now_;
};

int End(Context& context, const v1::Job& job) {
  if (!ForPrograms(context.format)) {
    if (job.has_submitted()) {
      context.out.Line(absl::StrCat(JobName(job), " ", StateWord(job), " after ",
                                    DurationText(context.now() - FromProto(job.submitted())),
                                    job.receipt_id().empty() ? "" : absl::StrCat("   receipt ", job.receipt_id())));
    }
    if (const std::string next = NextCommand(job); !next.empty()) {
      context.out.Line({Span("next: ", Style::kDim), next});
    }
  }
  if (job.result() == v1::SUCCEEDED) return kExitOk;
  return job.result() == v1::RESULT_CANCELLED ? kExitCancelled : kExitNo;
}

// Only the watching ends.
absl::Status OutOfTime(const v1::Job& job) {
  return OutcomeError(absl::StatusCode::kDeadlineExceeded, v1::OUTCOME_UNSPECIFIED,
                      absl::StrCat(JobName(job), " is still ", StateWord(job), " at the end of --timeout, and goes on"),
                      absl::StrCat("follow it with: muster watch job ", TypedName(job.namespace_(), job.name())));
}

}  // namespace

absl::StatusOr<int> FollowJob(Context& context, const v1::JobRef& ref) {
  JobPrinter printer(context);
  v1::WatchJobRequest request;
  *request.mutable_job() = ref;
  const absl::Time until = context.until();
  while (true) {
    const absl::Status status =
        context.coordinator().WatchJob(request, until, [&](const v1::Job& job) { printer.Show(job); });
    if (printer.last().phase() == v1::FINISHED) return End(context, printer.last());
    if (printer.seen() && (absl::IsDeadlineExceeded(status) || context.now() >= until)) {
      return OutOfTime(printer.last());
    }
    if (!status.ok() && !(absl::IsUnavailable(status) && printer.seen())) {
      if (absl::IsNotFound(status)) return WithWayOut(status, "jobs there are: muster get jobs --all");
      return status;
    }
    // From now on this very job, not a later one of its name.
    if (printer.seen()) request.mutable_job()->set_uid(printer.last().uid());
    if (!status.ok()) context.out.Progress("          the coordinator can't be reached; trying again");
    context.sleep(kRetry);
    if (context.now() >= until) return absl::DeadlineExceededError("the job has not finished in time");
  }
}

}  // namespace muster::cli
