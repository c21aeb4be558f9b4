#pragma once
// The life of one job as data. See step.h for how it moves, demands.h for what it asks of the world.
//
//   Queued|Awaiting -> Placed | Finished
//   Placed     -> Testing | Assembling | Stopping
//   Testing    -> Assembling | Repairing | Stopping
//   Assembling -> Running | Repairing | Stopping
//   Running    -> Repairing | Stopping
//   Repairing  -> Testing | Assembling | Stopping
//   Stopping   -> its next (Placed | Queued | Awaiting | Finished) | Stopping with a later next
//
// Each alternative holds only its own data. Everything here is durable unless marked soft: soft facts are learnt anew
// after a restart of the coordinator, and each gets a full period of grace then (lifecycle rule 24).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/placement.pb.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::gang {

using PlacementPtr = std::shared_ptr<const v1::Placement>;
using PlanPtr = std::shared_ptr<const v1::TestPlan>;

// Muster will choose nodes, none free yet.
struct Queued {};

// Nodes are another's to give.
struct Awaiting {
  // Bound members: the old placement as the preference for the next (rule 20).
  PlacementPtr preferred;
};

// A placement exists, its nodes are held; the test plan is not made yet.
struct Placed {
  PlacementPtr placement;
};

// Agents run the test plan, round by round.
struct Testing {
  PlacementPtr placement;
  TestId test;
  // The round that runs; its order number is Gang::order at the time it was made.
  PlanPtr plan;
  OrderNumber ordered;
  // Nodes of which every child is seen ended for `ordered`.
  std::set<NodeUid> ended;
  // Set when the verdict is in and only the confirmations are missing.
  bool passed = false;
  absl::Time deadline;
};

// Tested; waiting until every member of it is here.
struct Assembling {
  PlacementPtr placement;
  // Agents were told to start the members under this order (launch: agent); 0: nobody starts them for us.
  OrderNumber started;
  absl::Time deadline;
};

// What a release made, immutable and shared with the threads that answer GetRank.
struct Released {
  Epoch epoch;
  Attempt attempt;
  PlacementPtr placement;
  // By pod index: the incarnation that is bound, and its assignment (serialized muster.v1.Assignment).
  struct Member {
    Incarnation incarnation;
    std::string assignment;
    // One call a worker: by local rank, the worker's incarnation and assignment. Else empty.
    std::map<int32_t, std::pair<Incarnation, std::string>> workers;
  };
  std::map<PodIndex, Member> members;
};
using ReleasedPtr = std::shared_ptr<const Released>;

struct Running {
  ReleasedPtr released;
  // When the first member exited cleanly; the others have exit_grace from then.
  std::optional<absl::Time> first_clean_exit;
};

// A member or node is lost, a replacement is sought. The nodes that stay are kept (rule 16).
struct Repairing {
  // As it was; ranks whose node is in `vacated` are to be filled.
  PlacementPtr placement;
  std::set<NodeUid> vacated;
  // Nodes that stay, until everything of the epoch or test before is seen ended there (rule 10).
  std::set<NodeUid> unended;
  // Found, waiting for `unended` to empty.
  PlacementPtr replacement;
  // Whether this repair ends an epoch (a running gang) or only a test or assembly.
  bool was_running = false;
  std::string why;
  absl::Time deadline;
};

enum class Next { kPlaced, kRequeue, kFinished };  // in this order; a Stopping's next only ever moves later

// What was started is being ended. Nodes leave one by one through Gang::stops.
struct Stopping {
  Next next = Next::kRequeue;
  PlacementPtr placement;  // with kPlaced: what is taken up again
  v1::Result result = v1::RESULT_UNSPECIFIED;
  std::string why;
  absl::Time deadline;
};

struct Finished {
  v1::Result result = v1::RESULT_UNSPECIFIED;
  std::string why;
  absl::Time at;
};

using State = std::variant<Queued, Awaiting, Placed, Testing, Assembling, Running, Repairing, Stopping, Finished>;

// A node that must be seen empty before it is anyone else's. Outlives states, even Finished (rules 7, 8).
struct StopOwed {
  OrderNumber number;
  // Past the stop deadline without a confirmation: the node is quarantined without expiry for this job.
  bool overdue = false;
  // False where nothing of ours runs (members are their owner's, rule 6): the stop is a formality.
  bool ours = true;
};

struct Member {
  // The greatest ever seen; durable once a lesser one was superseded by it or it is bound to an epoch.
  std::optional<Incarnation> incarnation;
  // One call a worker: by local rank. Superseding is within (index, pod uid, local rank) (rule 23).
  std::map<int32_t, Incarnation> workers;
  std::string node;     // name, as the caller or its pod says
  std::string address;  // where node rank 0 is reached, if it becomes that
  int32_t reserved_port = 0;
  // Reported the end of its command in this epoch.
  std::optional<int32_t> exit_code;
  bool terminating = false;

  // Soft from here on.
  bool waiting = false;                  // a GetRank call is held, or was within the retry period
  std::set<int32_t> workers_waiting;     // one call a worker
  std::optional<absl::Time> lease_lost;  // since when its lease is lost
  absl::Time last_seen = absl::InfinitePast();
};

// A quota reservation by Kueue; a verdict of ours belongs to exactly one (rule 13).
struct Reservation {
  std::string workload_uid;
  absl::Time reserved;
  std::string assignment;  // digest of its topology assignment
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// What others say, kept in every state (rule 14).
struct Facts {
  int64_t owner_restarts = 0;
  enum class OwnerState { kNone, kLiving, kFinished, kDeleted } owner = OwnerState::kNone;
  std::optional<Reservation> reservation;
  // The placement that the reservation's assignment means, and the nodes where bound pods sit (by pod index).
  PlacementPtr assigned;
  bool evicted = false;
  std::map<PodIndex, std::string> bound;
};

// Owed to the reservation's owner until seen done (rules 12, 13).
struct VerdictOwed {
  enum class Kind { kReady, kRetry, kRejected } kind;
  Reservation reservation;
  std::string message;
};

struct Gang {
  // Identity and wish, fixed at submission.
  JobUid uid;
  std::string ns, name;
  std::shared_ptr<const v1::JobSpec> spec;
  v1::Owner owner;
  absl::Time submitted;
  // Order of submission over all jobs: ties of priority.
  int64_t sequence = 0;

  Attempt attempt;
  Epoch epoch;
  OrderNumber order;
  int32_t tries = 0;
  int32_t restarts = 0;
  // Whether this attempt was ever Running (rule 20).
  bool ran = false;
  bool cancelled = false;

  std::map<PodIndex, Member> members;
  std::map<NodeUid, StopOwed> stops;
  Facts facts;
  std::optional<VerdictOwed> verdict_owed;
  // Receipt that allows the present placement to be released, with the digest and boot facts it is valid for; empty:
  // none.
  ReceiptId receipt;
  std::string receipt_digest;
  bool waived = false;

  State state;
  absl::Time since;
  // One sentence for people: what it waits for, or why it ended.
  std::string why;
  // Grows with each durable change.
  int64_t revision = 0;
};

v1::Phase PhaseOf(const State& state);

}  // namespace muster::gang
