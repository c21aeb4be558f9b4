#include "lib/queue/reasons.h"

#include "absl/strings/str_cat.h"

namespace muster::queue {
namespace {

std::string Nodes(int64_t count) { return absl::StrCat(count, count == 1 ? " node" : " nodes"); }

std::string Named(const Ahead& ahead) { return absl::StrCat(ahead.job, " (priority ", ahead.priority, ")"); }

}  // namespace

std::string TimeText(absl::Time time, absl::Time now) {
  const bool near = time - now < absl::Hours(24);
  return absl::FormatTime(near ? "%H:%M UTC" : "%b %d %H:%M UTC", time, absl::UTCTimeZone());
}

std::string BeyondQuota(const std::string& ns, int64_t needed, int64_t quota) {
  return absl::StrCat(Nodes(needed), needed == 1 ? " is" : " are", " needed, and namespace ", ns, " may have ", quota,
                      " at once: ask for fewer, or have the operator raise --quotas");
}

std::string QuotaFull(const std::string& ns, int64_t needed, int64_t held, int64_t quota) {
  return absl::StrCat(Nodes(needed), needed == 1 ? " is" : " are", " needed, and namespace ", ns, " has ", held,
                      " of the ", quota, " that it may have at once: jobs of its own must end first");
}

std::string WaitsBehind(const Ahead& ahead, absl::Duration duration, absl::Time now) {
  std::string text = absl::StrCat("enough nodes are free, but ", Named(ahead), " waits ahead for nodes that this job ");
  if (ahead.starts_by == absl::InfiniteFuture()) return text + "would take";
  if (duration != absl::InfiniteDuration()) {
    absl::StrAppend(&text, "would still have at ", TimeText(ahead.starts_by, now), ", when that one starts");
    return text;
  }
  const absl::Duration left = absl::Floor(ahead.starts_by - now, absl::Minutes(1));
  absl::StrAppend(&text, "would take; it starts by ", TimeText(ahead.starts_by, now));
  if (left > absl::ZeroDuration())
    absl::StrAppend(&text, ", so with limits.maxDuration up to ", absl::FormatDuration(left), " this one could go now");
  return text;
}

std::string FarBack(int64_t needed, const Ahead& first) {
  return absl::StrCat("waits its turn for ", Nodes(needed), "; ", Named(first), " leads the queue");
}

}  // namespace muster::queue
