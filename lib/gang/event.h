#pragma once
// What can happen to a job. Everything that lib/gang learns of the world comes in as one of these.

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"
#include "lib/gang/state.h"

namespace muster::gang {

// --- from the queue and the placement engine ---
struct PlacementFound {
  PlacementPtr placement;
};
struct NeverFits {
  std::string why;
};
// Its nodes are needed by a job of greater priority. It queues again; not its fault, so no try.
struct Preempted {
  std::string why;
};
// For Repairing: same ranks but those vacated.
struct ReplacementFound {
  PlacementPtr placement;
};
// In Placed, or in Repairing when WantsTestPlan: a valid receipt for the placement's digest exists (same boot ids and
// devices, within max_age).
struct ReceiptFound {
  ReceiptId receipt;
  std::string digest;
};

// --- from the self-test ---
// The first round, or a further one of the same test. Its placement_digest and round must fit.
struct TestPlanned {
  TestId test;
  PlanPtr plan;
};
struct TestConcluded {
  TestId test;
  enum class Outcome { kPassed, kAccused, kInconclusive, kConfig, kInternal } outcome;
  std::set<NodeUid> accused;
  ReceiptId receipt;
  std::string why;
};

// --- from members ---
// A GetRank call has come, or comes again. Its answer is AnswerTo's, after this step.
struct MemberCalled {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank = {};
  std::string node = {};     // by name
  std::string address = {};  // where it is reached
  int32_t reserved_port = 0;
  // Epoch of the last assignment that the caller has; 0: it has had none. Nothing of a later epoch runs there: the
  // answer was lost. Absent: the caller doesn't say. Counts for nothing where that epoch was watched (MemberWatches):
  // then the call itself was long on its way.
  std::optional<Epoch> last_epoch = {};
};
// The held call ended without an answer and was not renewed within the retry period.
struct MemberHungUp {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank = {};
};
// A WatchGang call: the caller has the assignment of that epoch.
struct MemberWatches {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank = {};
  Epoch epoch = {};
};
// Reported by the member (or the agent that started it). Also from epochs before, whose ends stops wait for.
struct CommandEnded {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank = {};
  Epoch epoch = {};
  int32_t exit_code = 0;
  bool ordered = false;  // on Muster's order: the code says nothing
  // Where on its node the command's output is kept; empty: not known.
  std::string logs = {};
};
// Not heard for a lease. Changes nothing by itself; counts as lost after unknown_grace.
struct LeaseLost {
  PodIndex index;
};
struct LeaseRenewed {
  PodIndex index;
  Incarnation incarnation;
};

// --- from nodes and their agents ---
// What orders up to `number` started has ended on the node. The agent speaks for what it started itself, the cluster
// for pods (any of the job's), a person for everything.
struct EndConfirmed {
  NodeUid node;
  OrderNumber number;
  enum class By { kAgent, kCluster, kPerson } by = By::kAgent;
};
// The agent can't or won't do what order `number` says.
struct StartRefused {
  NodeUid node;
  OrderNumber number;
  std::string why;
};
struct NodeLost {
  NodeUid node;
  std::string why;
};
// The same as lost to a gang that isn't Running. Also told of nodes that were so before they were assigned to this job.
struct NodeQuarantined {
  NodeUid node;
  std::string why;
};
// Heard again, or readmitted.
struct NodeRestored {
  NodeUid node;
};
// A node came back with another boot id or device set: a pass is void (rule 18).
struct NodeChanged {
  NodeUid node;
  std::string why;
};

// --- from the owner and the cluster (Kubernetes) ---
struct PodBound {
  PodIndex index;
  Incarnation incarnation;
  std::string node;
};
struct PodTerminating {
  PodIndex index;
  Incarnation incarnation;
};
struct PodGone {
  PodIndex index;
  Incarnation incarnation;
};
// The owner's restart counter, as read; only a greater one than before means anything.
struct OwnerRestarted {
  int64_t restarts = 0;
};
struct OwnerFinished {
  bool succeeded = false;
};
struct OwnerDeleted {};
// A reservation, with the placement that its assignment means.
struct Reserved {
  Reservation reservation;
  PlacementPtr placement;
};
// The reservation is taken back.
struct Evicted {};
// The verdict owed to this reservation is seen in the cluster.
struct VerdictSeen {
  Reservation reservation;
};

// --- from people and time ---
struct CancelRequested {
  std::string reason;
};
struct TimePassed {};  // some deadline of NextDeadline() is reached
// The coordinator has started again with this state: soft facts are unknown, periods of grace begin anew.
struct CoordinatorRestarted {};

using Event = std::variant<PlacementFound, NeverFits, Preempted, ReplacementFound, ReceiptFound, TestPlanned,
                           TestConcluded, MemberCalled, MemberHungUp, MemberWatches, CommandEnded, LeaseLost,
                           LeaseRenewed, EndConfirmed, StartRefused, NodeLost, NodeQuarantined, NodeRestored,
                           NodeChanged, PodBound, PodTerminating, PodGone, OwnerRestarted, OwnerFinished, OwnerDeleted,
                           Reserved, Evicted, VerdictSeen, CancelRequested, TimePassed, CoordinatorRestarted>;

}  // namespace muster::gang
