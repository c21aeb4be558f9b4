#pragma once
// How long a job waits and how often it tries: the job's LimitsSpec with its defaults, and the waits that are not the
// job's to choose.

#include <cstdint>

#include "absl/time/time.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::gang {

struct Limits {
  // Of LimitsSpec: a count that is absent means the default, 0 none.
  int32_t max_tries = 3;
  int32_t max_restarts = 3;
  absl::Duration assemble_deadline = absl::Minutes(10);
  absl::Duration repair_deadline = absl::Minutes(10);
  absl::Duration stop_deadline = absl::Minutes(2);
  absl::Duration exit_grace = absl::Minutes(5);
  absl::Duration unknown_grace = absl::Minutes(2);
  // InfiniteDuration: no limit.
  absl::Duration deadline = absl::InfiniteDuration();
  absl::Duration max_duration = absl::InfiniteDuration();

  // A test plan is made within this time of Placed (the nodes' agents may have to come up first).
  absl::Duration plan_deadline = absl::Minutes(5);
  // One round of the self-test: its plan's own deadline and the time for the reports to arrive.
  absl::Duration test_deadline = absl::Minutes(1);
  absl::Duration report_slack = absl::Seconds(30);
  // Members that Muster starts and that fail, again and again, are started again at once after the first failure, then
  // after `restart_delay`, doubled with each further one up to `max_restart_delay`. A gang that has run for
  // `settled_after` begins anew.
  absl::Duration restart_delay = absl::Seconds(10);
  absl::Duration max_restart_delay = absl::Minutes(5);
  absl::Duration settled_after = absl::Minutes(10);
  // Between SIGTERM and SIGKILL of what is stopped.
  absl::Duration stop_grace = absl::Seconds(10);
};

// Durations out of range (negative, or beyond 10 years) count as the default.
Limits LimitsOf(const v1::JobSpec& spec);

// Rounds of one self-test; a further one is refused, so that the test ends at its deadline.
inline constexpr int32_t kMaxRounds = 16;

}  // namespace muster::gang
