#pragma once
// Which jobs may start now, and which must make room.
//
// Repairs first. Then the queue, in its order (turn.h); each job is placed whole or not at all, and nothing is held for
// a job that doesn't start. One that can't start now reserves nodes for the earliest time at which it fits, as declared
// durations tell (horizon.h); a job behind starts before it only on nodes that it leaves alone, or where it is gone in
// time. So it can delay none of those that have a reservation, and the first always has one. Where the ends are
// unknown, every node that the one that waits could use before those ahead of it is kept from those behind.
//
// Quotas bound what a namespace has at once: its first job that would go beyond waits, those of the namespace behind it
// wait with it, others pass. A job that can never start blocks nobody. With Policy::preempt the first that waits for
// nodes may stop jobs of less priority that are behind it in the order, those with the least work to lose.
//
// Pure: (jobs, nodes, now) -> placements and reasons; whatever the order in which they are given.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/hop_cost.h"
#include "lib/placement/place.h"
#include "lib/placement/repair.h"
#include "lib/placement/request.h"
#include "lib/queue/horizon.h"
#include "lib/queue/policy.h"
#include "lib/queue/turn.h"

namespace muster::queue {

struct QueuedJob {
  Turn turn;
  const placement::Request* request = nullptr;
  // From its placement until its nodes are free again, at most; InfiniteDuration: unknown.
  absl::Duration duration = absl::InfiniteDuration();
};

struct RepairJob {
  Turn turn;
  placement::RepairRequest repair;
};

struct Situation {
  std::vector<RepairJob> repairs;
  std::vector<QueuedJob> queued;
  // Every job that has nodes, those in repair and those leaving included.
  std::vector<Holder> holders;
  // All nodes; those of holders aren't free in it.
  const placement::Cluster* cluster = nullptr;
  placement::HopCosts costs;
  placement::SearchOptions search;
  absl::Time now;
  // Whether the reasons are wanted: a simulation of many jobs does without.
  bool reasons = true;
};

struct Answer {
  JobUid uid;
  placement::Decision decision;
  // 1-based place among the jobs that wait; 0: starts now, can never start, or is a repair.
  int32_t position = 0;
  // The first that waits for nodes: nobody behind may delay it. One that waits for its quota never is.
  bool leads = false;
  // The job that this one must not delay and therefore waits for, though nodes are free; empty uid: none.
  JobUid behind;
  // It starts by then, as its reservation goes; InfiniteFuture: unknown.
  absl::Time starts_by = absl::InfiniteFuture();
};

// A running job that has to go.
struct Preemption {
  JobUid uid;
  JobUid by;
  std::string why;
};

struct Answers {
  std::vector<Answer> repairs;  // in turn
  std::vector<Answer> jobs;     // in the order of the queue
  std::vector<Preemption> preemptions;
};

Answers Admit(const Situation& situation, const Policy& policy);

}  // namespace muster::queue
