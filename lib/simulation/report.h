#pragma once
// What a simulation comes to, in numbers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/simulation/simulate.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {

// From submission to the first start, of the jobs that started.
struct Waits {
  int64_t jobs = 0;
  absl::Duration mean, p50, p95, max;
};

// Cost against the lower bound, of first placements that have traffic between nodes.
struct Ratios {
  int64_t jobs = 0;
  int64_t optimal = 0;  // equal to the bound
  double geometric_mean = 1, p50 = 1, p95 = 1, max = 1;
};

struct Report {
  int64_t nodes = 0, jobs = 0;
  int64_t done = 0, over_limit = 0, never = 0, waiting = 0;
  // As the trace has it.
  int64_t trace_failed = 0, trace_cancelled = 0;
  absl::Duration last_submission, end;
  // Shares of all node-time that jobs had, until the last submission, and in all.
  double utilisation = 0, utilisation_in_all = 0;
  // Share of the free node-time that was on nodes of partly used finest domains.
  double fragmentation = 0;
  int64_t deepest_queue = 0;
  Waits waits;
  std::map<int32_t, Waits> by_priority;
  std::map<std::string, Waits> by_namespace;
  Ratios ratios;
  int64_t preemptions = 0;
  int64_t node_failures = 0, interruptions = 0, requeues = 0;
  double lost_node_hours = 0;
  // Moves that would have made room for jobs that led the queue, and the work of those who would have moved.
  int64_t movable_leaders = 0, moves = 0;
  double move_node_hours = 0;
  int64_t events = 0, queue_runs = 0, placements = 0;
};

// `jobs` are those that `result` is of.
Report Summarise(const std::vector<TraceJob>& jobs, const Result& result);

// One JSON object: durations in seconds, shares from 0 to 1. Ends with a newline.
std::string ToJson(const Report& report);

}  // namespace muster::simulation
