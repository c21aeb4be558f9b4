#include "client/cli/names.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/exit_code.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

bool IsJobUid(const std::string& text) {
  constexpr size_t kPrefix = 4;
  return absl::StartsWith(text, "job-") && text.size() >= kPrefix + 16 &&
         std::all_of(text.begin() + kPrefix, text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

absl::StatusOr<v1::JobRef> ParseJobName(const std::string& text, const std::string& ns) {
  v1::JobRef ref;
  if (IsJobUid(text)) {
    ref.set_uid(text);
    return ref;
  }
  const size_t slash = text.find('/');
  const std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  std::string in = slash == std::string::npos ? "" : text.substr(0, slash);
  if (name.empty() || (slash != std::string::npos && in.empty()) || absl::StrContains(name, "/")) {
    return UsageError(absl::StrCat("\"", text, "\": not a job's name"), "NAME, NAMESPACE/NAME or the job's uid");
  }
  if (!in.empty() && !ns.empty() && in != ns) {
    return UsageError(absl::StrCat("\"", text, "\" and --namespace ", ns, " name two namespaces"), "give one of them");
  }
  if (in.empty()) in = ns.empty() ? "default" : ns;
  ref.set_namespace_(in);
  ref.set_name(name);
  return ref;
}

std::string JobName(const v1::Job& job) { return absl::StrCat(job.namespace_(), "/", job.name()); }

std::string TypedName(const std::string& ns, const std::string& name) {
  return ns.empty() || ns == "default" ? name : absl::StrCat(ns, "/", name);
}

std::string PhaseWord(v1::Phase phase) {
  return v1::Phase_IsValid(phase) && phase != v1::PHASE_UNSPECIFIED ? absl::AsciiStrToLower(v1::Phase_Name(phase))
                                                                    : "unknown";
}

std::string StateWord(const v1::Job& job) {
  if (job.phase() != v1::FINISHED) return PhaseWord(job.phase());
  switch (job.result()) {
    case v1::SUCCEEDED:
      return "succeeded";
    case v1::FAILED:
      return "failed";
    case v1::RESULT_CANCELLED:
      return "cancelled";
    default:
      return "finished";
  }
}

std::string WhyText(const v1::Job& job) {
  const std::string word = job.phase() == v1::STOPPING    ? "stops"
                           : job.phase() == v1::REPAIRING ? "repairs"
                                                          : StateWord(job);
  return std::string(absl::StripPrefix(job.why(), absl::StrCat(word, ": ")));
}

Style StateStyle(const v1::Job& job) {
  if (job.phase() == v1::RUNNING || job.result() == v1::SUCCEEDED) return Style::kGood;
  if (job.result() == v1::FAILED) return Style::kBad;
  if (job.phase() == v1::REPAIRING || job.phase() == v1::STOPPING || job.result() == v1::RESULT_CANCELLED) {
    return Style::kWarn;
  }
  return Style::kBold;
}

std::string VerdictWord(v1::TestVerdict verdict) {
  switch (verdict) {
    case v1::PASS:
      return "pass";
    case v1::WARN:
      return "WARN";
    case v1::FAIL:
      return "FAIL";
    case v1::SKIPPED:
      return "skipped";
    case v1::INCONCLUSIVE:
      return "INCONCLUSIVE";
    default:
      return "none";
  }
}

Style VerdictStyle(v1::TestVerdict verdict) {
  switch (verdict) {
    case v1::PASS:
      return Style::kGood;
    case v1::FAIL:
      return Style::kBad;
    case v1::WARN:
    case v1::INCONCLUSIVE:
      return Style::kWarn;
    default:
      return Style::kPlain;
  }
}

std::string CollectiveWord(v1::Collective collective) {
  return v1::Collective_IsValid(collective) && collective != v1::COLLECTIVE_UNSPECIFIED
             ? absl::AsciiStrToLower(v1::Collective_Name(collective))
             : "unknown";
}

std::string UseWord(v1::NodeUse use) {
  switch (use) {
    case v1::FREE:
      return "free";
    case v1::ASSIGNED:
      return "assigned";
    case v1::NODE_STOPPING:
      return "stopping";
    default:
      return "unknown";
  }
}

std::string ConditionWord(v1::NodeCondition condition) {
  switch (condition) {
    case v1::NODE_OK:
      return "ok";
    case v1::DRAINING:
      return "draining";
    case v1::QUARANTINED:
      return "quarantined";
    case v1::LOST:
      return "lost";
    default:
      return "unknown";
  }
}

Style ConditionStyle(v1::NodeCondition condition) {
  if (condition == v1::NODE_OK) return Style::kGood;
  return condition == v1::LOST ? Style::kBad : Style::kWarn;
}

absl::Status WithWayOut(const absl::Status& status, const std::string& way_out) {
  const auto known = DetailOf(status);
  if (status.ok() || (known && !known->way_out().empty())) return status;
  absl::Status out(status.code(), absl::StrCat(status.message(), "; ", way_out));
  status.ForEachPayload([&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  v1::OutcomeDetail detail = known.value_or(v1::OutcomeDetail());
  detail.set_way_out(way_out);
  SetDetail(out, detail);
  return out;
}

}  // namespace muster::cli
