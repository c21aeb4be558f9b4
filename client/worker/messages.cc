#include "client/worker/messages.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/worker/exec.h"
#include "lib/base/errors.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kRepeat = absl::Seconds(30);

// "1m12s": whole seconds, as people say it.
std::string Short(absl::Duration duration) { return absl::FormatDuration(absl::Floor(duration, absl::Seconds(1))); }

}  // namespace

std::string DescribeNotReady(const v1::NotReady& n, absl::Duration waited) {
  std::vector<std::string> parts;
  if (n.members_missing() > 0 && (n.phase() == v1::ASSEMBLING || n.phase() == v1::REPAIRING)) {
    parts.push_back(absl::StrCat("waiting for ", n.members_missing(), " of ", n.members(), " members (",
                                 n.members_missing() == 1 ? "index " : "indexes ",
                                 absl::StrJoin(n.missing_indexes(), ", "),
                                 n.members_missing() > n.missing_indexes_size() ? ", …)" : ")"));
  } else {
    parts.push_back(n.why().empty() ? "waiting" : n.why());
  }
  if (n.queue_position() > 0) parts.push_back(absl::StrCat("position ", n.queue_position(), " in the queue"));
  if (!n.self_test().empty()) parts.push_back(absl::StrCat("self-test: ", n.self_test()));
  parts.push_back(Short(waited));
  return absl::StrJoin(parts, " · ");
}

std::string DescribeAssignment(const v1::Assignment& a) {
  const int64_t first = int64_t{a.node_rank()} * a.workers_per_member(), last = first + a.workers_per_member() - 1;
  const std::string ranks =
      first == last ? absl::StrCat("global rank ", first) : absl::StrCat("global ranks ", first, "–", last);
  return absl::StrCat("member ", a.pod_index(), " → node rank ", a.node_rank(), " of ", a.members(), ", ", ranks,
                      " of ", a.world(), " · epoch ", a.epoch(), a.self_test_waived() ? " · self-test waived" : "",
                      a.receipt_id().empty() ? "" : absl::StrCat(" · receipt ", a.receipt_id()));
}

std::string IndexWarning(const v1::Assignment& a) {
  const char* index = std::getenv("JOB_COMPLETION_INDEX");
  if (!index || absl::StrCat(a.node_rank()) == index) return "";
  return absl::StrCat("warning: JOB_COMPLETION_INDEX is ", index, " but the node rank is ", a.node_rank(),
                      "; a script must use NODE_RANK (or RANK), or set placement.rankBy: index");
}

int ExitCodeFor(v1::Outcome outcome) {
  switch (outcome) {
    case v1::SUPERSEDED:
      return kExitSuperseded;
    case v1::WRONG_NODE:
      return kExitWrongNode;
    case v1::CANCELLED:
    case v1::JOB_FINISHED:
    case v1::OUTCOME_NEVER:
      return kExitDoNotRequeue;
    case v1::UNKNOWN_JOB:
      return kExitUnknownJob;
    case v1::BAD_REQUEST:
      return kExitUsage;
    default:
      return kExitTrouble;
  }
}

int ExitCodeOf(const absl::Status& status) {
  const absl::optional<v1::OutcomeDetail> detail = DetailOf(status);
  return ExitCodeFor(detail ? detail->outcome() : v1::OUTCOME_UNSPECIFIED);
}

ProgressPrinter::ProgressPrinter(std::FILE* out) : out_(out), start_(absl::Now()) {}

void ProgressPrinter::Print(const std::string& key, const std::string& line) {
  if (!out_) return;
  MutexLock lock(&mu_);
  const absl::Time now = absl::Now();
  if (key == last_ && now - printed_ < kRepeat) return;
  last_ = key;
  printed_ = now;
  std::fprintf(out_, "muster: %s\n", line.c_str());
}

void ProgressPrinter::Progress(const v1::NotReady& not_ready) {
  Print(DescribeNotReady(not_ready, absl::ZeroDuration()), DescribeNotReady(not_ready, absl::Now() - start_));
}

void ProgressPrinter::Trouble(const absl::Status& status) {
  Print(std::string(status.message()), absl::StrCat(std::string(status.message()), "; trying on"));
}

}  // namespace muster::worker
