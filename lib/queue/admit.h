#pragma once
// Which jobs may start now.
//
// Repairs first, by priority, then submission. Then the queue: priority (greater first), then submission, then uid;
// each job is placed whole or not at all. A job that can't start now keeps every node that it could use, whatever its
// present state, from all jobs behind it: a job behind starts early only on nodes that no blocked job before it could
// ever use (by size, selector and names), so it can delay none. A job that can never start blocks nobody.
//
// Pure: (jobs, cluster) -> placements and reasons. Nothing is held for a job that doesn't start.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/repair.h"
#include "lib/placement/request.h"

namespace muster::queue {

// Place in the queue.
struct Turn {
  int32_t priority = 0;
  int64_t submitted = 0;  // any number that grows with submission
  JobUid uid;
  // Goes before `other`.
  bool Before(const Turn& other) const;
};

struct QueuedJob {
  Turn turn;
  const placement::Request* request = nullptr;
};

struct RepairJob {
  Turn turn;
  placement::RepairRequest repair;
};

struct Answer {
  JobUid uid;
  placement::Decision decision;
  // 1-based place among the jobs that wait; 0: starts now, can never start, or is a repair.
  int32_t position = 0;
  // The job that this one must not delay and therefore waits for, though nodes are free; empty uid: none.
  JobUid behind;
};

struct Answers {
  std::vector<Answer> repairs;  // in turn
  std::vector<Answer> jobs;     // in turn
};

// `cluster` holds all nodes; those of running jobs aren't free in it. Taken nodes are taken from a copy.
Answers Admit(std::vector<RepairJob> repairs, std::vector<QueuedJob> jobs, placement::Cluster cluster,
              const placement::HopCosts& costs);

}  // namespace muster::queue
