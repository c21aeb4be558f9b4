#pragma once
// Why a job waits, in one sentence with numbers and the way out.

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "lib/queue/policy.h"

namespace muster::queue {

// "15:40 UTC" within a day of `now`, else "Dec 02 15:40 UTC".
std::string TimeText(absl::Time time, absl::Time now);

// The job is over its namespace's quota by itself: "16 nodes are needed; namespace team-a may have 8 at once (…)".
std::string BeyondQuota(const std::string& ns, int64_t needed, int64_t quota);
// It would be, with what the namespace has and is ahead.
std::string QuotaFull(const std::string& ns, int64_t needed, int64_t held, int64_t quota);

// Enough nodes are free, but another waits ahead for them.
struct Ahead {
  std::string job;
  int32_t priority = 0;
  absl::Time starts_by = absl::InfiniteFuture();
};
// `duration`: the waiting job's own; InfiniteDuration: it declares none.
std::string WaitsBehind(const Ahead& ahead, absl::Duration duration, absl::Time now);

// Far back in the queue: not held against the nodes yet. The same as long as the first is the same.
std::string FarBack(int64_t needed, const Ahead& first);

}  // namespace muster::queue
