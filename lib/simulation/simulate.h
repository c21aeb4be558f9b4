#pragma once
// A trace on a cluster in virtual time, by the very queue (lib/queue) and placement (lib/placement) that musterd runs.
//
// Events lie in a heap; at each time at which something happened that could let a job start, the queue runs once. What
// a job does is simple: it runs from the moment that it has its nodes. A node that fails takes its job back to its last
// checkpoint, and the job waits for a replacement, at most kRepairDeadline, then in the queue again. A preempted job
// gives its nodes up after kStop.

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/place.h"
#include "lib/queue/admit.h"
#include "lib/queue/policy.h"
#include "lib/simulation/spec.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {

inline constexpr absl::Duration kRepairDeadline = absl::Minutes(10);
inline constexpr absl::Duration kStop = absl::Seconds(30);
// Nodes that one job may lose; a simulation in which one loses more would not end.
inline constexpr int32_t kMaxInterruptions = 10'000;

struct Setup {
  placement::Cluster cluster;  // as it is at the start, nodes in use stay so
  placement::HopCosts costs;
  placement::SearchOptions search;
  std::vector<TraceJob> jobs;  // by submission
  queue::Policy policy;
  Failures failures;
  // Looks at each run of the queue; for tests.
  std::function<void(const queue::Situation&, const queue::Answers&)> observe;
};

enum class Fate {
  kDone,       // ran to its end
  kOverLimit,  // ended at its declared limit
  kNever,      // no state of the cluster holds it
  kWaiting,    // still waits where nothing can happen any more: its namespace's quota, or nodes in other hands
};

struct JobResult {
  Fate fate = Fate::kWaiting;
  absl::Duration started = absl::InfiniteDuration();  // first, since the trace began
  absl::Duration ended = absl::InfiniteDuration();
  int64_t cost = 0;   // of its first placement
  int64_t bound = 0;  // 0: it has no traffic
  int32_t preempted = 0;
  int32_t failed = 0;  // nodes that it lost
  int32_t requeued = 0;
};

// Holds from `at` on, until the next.
struct Level {
  absl::Duration at;
  int64_t busy = 0;    // nodes that jobs have
  int64_t down = 0;    // failed
  int64_t queued = 0;  // jobs that wait
  int64_t broken = 0;  // free nodes in finest domains of which others are in use
};

struct Result {
  std::vector<JobResult> jobs;  // as in the trace
  std::vector<Level> levels;
  absl::Duration end;  // when the last job ends, or nothing can let one start any more
  int64_t nodes = 0;
  int64_t events = 0;
  int64_t runs = 0;  // of the queue
  int64_t placements = 0;
  int64_t failures = 0;          // of nodes
  double lost_node_seconds = 0;  // work done again after preemptions and failures
  // What moving running jobs would have done, had somebody done it (queue::Defragment): asked once of each job that
  // comes to lead the queue.
  int64_t movable_leaders = 0;   // would have fitted at once
  int64_t moves = 0;             // of running jobs, for all of them
  double move_node_seconds = 0;  // work of those so far
};

// INVALID_ARGUMENT: the cluster has no node, a job's mesh doesn't fit its workers, or one loses more than
// kMaxInterruptions nodes.
absl::StatusOr<Result> Simulate(const Setup& setup);

}  // namespace muster::simulation
