#include "client/cli/exit_code.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

constexpr absl::string_view kUsageUrl = "muster/usage";
constexpr absl::string_view kFileUrl = "muster/file";

}  // namespace

absl::Status UsageError(absl::string_view problem, absl::string_view way_out) {
  absl::Status status = OutcomeError(absl::StatusCode::kInvalidArgument, v1::OUTCOME_UNSPECIFIED, problem, way_out);
  status.SetPayload(kUsageUrl, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) { return status.GetPayload(kUsageUrl).has_value(); }

absl::Status AboutFile(absl::Status status) {
  if (!status.ok()) status.SetPayload(kFileUrl, absl::Cord());
  return status;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  if (IsUsageError(status)) return kExitUsage;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kUnavailable:
      return kExitUnreachable;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return kExitInvalid;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitRefused;
    case absl::StatusCode::kDeadlineExceeded:
      return kExitTimeout;
    default:
      return kExitOther;
  }
}

void PrintError(Screen& err, const absl::Status& status) {
  std::string message(status.message());
  if (status.GetPayload(kFileUrl).has_value()) {
    err.Line(message);
    return;
  }
  std::string way_out;
  if (const auto detail = DetailOf(status); detail && !detail->way_out().empty()) {
    // The message ends with it, after a semicolon; a line of its own is easier to find.
    const std::string tail = absl::StrCat("; ", detail->way_out());
    if (absl::EndsWith(message, tail)) {
      message.resize(message.size() - tail.size());
    }
    if (!absl::StrContains(message, detail->way_out())) way_out = detail->way_out();
  }
  if (message.empty()) message = absl::StatusCodeToString(status.code());
  err.Line({Span("muster: ", Style::kBad), message});
  // A way out of several lines is our own (usage); one from the coordinator is escaped by Line as all text is.
  for (absl::string_view line : absl::StrSplit(way_out, '\n', absl::SkipEmpty())) {
    err.Line(absl::StrCat("  ", line));
  }
}

}  // namespace muster::cli
