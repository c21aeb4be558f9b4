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
//   Finished   -> Awaiting, only where a living owner of a failed job comes with a new Workload (rule 2)
//
// Each alternative holds only its own data. Everything here is durable unless marked soft: soft facts are learnt anew
// after a restart of the coordinator, and each gets a full period of grace then (lifecycle rule 24).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/facts.h"
#include "lib/gang/incarnation.h"
#include "lib/gang/index_set.h"
#include "lib/gang/member.h"
#include "lib/gang/mesh_part.h"
#include "lib/gang/released.h"
#include "lib/gang/remains.h"
#include "lib/gang/seats.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/placement.pb.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::gang {

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
  absl::Time deadline;
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
  // Muster had the members started under this order (launch: agent, kubernetes); 0: others start them.
  OrderNumber started;
  absl::Time deadline;
};

// Every member has its ranks.
struct Running {
  ReleasedPtr released;
  // When the first member exited cleanly; the others have exit_grace from then.
  std::optional<absl::Time> first_clean_exit;
  // Members that exited cleanly.
  int32_t exited = 0;
};

// A member or node is lost, a replacement is sought. The nodes that stay are kept (rule 16).
struct Repairing {
  // As it was; ranks whose node is in `vacated` are to be filled.
  PlacementPtr placement;
  std::set<NodeUid> vacated;
  // Nodes that stay, until everything of the epoch or test before is seen ended there (rule 10), and the number of the
  // order to end it.
  std::map<NodeUid, Remains> unended;
  OrderNumber ordered;
  // Found (the same placement where no node is vacated); waiting for `unended` to empty, then for its test.
  PlacementPtr replacement;
  // Whether this repair ends an epoch (a running gang) or only a test or assembly.
  bool was_running = false;
  // With was_running: members of that epoch whose commands ended by themselves.
  int32_t exited = 0;
  std::string why;
  // Nothing is tested or started before; InfinitePast: nothing to wait for.
  absl::Time not_before = absl::InfinitePast();
  absl::Time deadline;
};

enum class Next { kPlaced, kRequeue, kFinished };  // in this order; a Stopping's next only ever moves later

// What was started is being ended. Nodes leave one by one through Gang::stops.
struct Stopping {
  Next next = Next::kRequeue;
  // kPlaced: what is taken up again. kRequeue with bound members: the preference. Null otherwise.
  PlacementPtr placement;
  // With kFinished.
  v1::Result result = v1::RESULT_UNSPECIFIED;
  std::string why;
};

struct Finished {
  v1::Result result = v1::RESULT_UNSPECIFIED;
  // It failed because no state of the cluster can hold it.
  bool never = false;
  std::string why;
  absl::Time at;
};

using State = std::variant<Queued, Awaiting, Placed, Testing, Assembling, Running, Repairing, Stopping, Finished>;

// A node that must be seen empty before it is anyone else's. Outlives states, even Finished (rules 7, 8).
struct StopOwed {
  OrderNumber number;
  std::string node;  // its name
  std::string why;
  Remains remains;
  absl::Time deadline;
  // Past the deadline without a confirmation: the node is quarantined without expiry and stays this job's.
  bool overdue = false;
};

struct Gang {
  // Identity and wish, fixed at submission.
  JobUid uid;
  std::string ns, name;
  // Of the call that submitted it, by which a repeated one is known; may be empty.
  std::string request_id;
  std::shared_ptr<const v1::JobSpec> spec;
  v1::Owner owner;
  absl::Time submitted;
  // Order of submission over all jobs: ties of priority.
  int64_t sequence = 0;
  // Released untested: asked for by the job and allowed by the operator.
  bool waived = false;

  Attempt attempt;
  Epoch epoch;
  OrderNumber order;
  int32_t tries = 0;
  int32_t restarts = 0;
  // Failures in a row of commands that Muster starts (DelayOfNextStart).
  int32_t failures = 0;
  // Whether this attempt was ever Running (rule 20).
  bool ran = false;
  bool cancelled = false;

  // By index; only those that were ever seen.
  std::map<PodIndex, Member> members;
  std::map<NodeUid, StopOwed> stops;
  // Nodes whose agents were ever given an order of this job: told to forget it at the end.
  std::set<NodeUid> marked;
  Facts facts;
  std::optional<VerdictOwed> verdict_owed;
  // Receipt that allows the present placement to be released, and the digest it is valid for; empty: none.
  ReceiptId receipt;
  std::string receipt_digest;

  State state;
  // It has had nodes without a break from then on; InfinitePast: it has none, or is giving them back.
  absl::Time holds_since = absl::InfinitePast();
  absl::Time since;
  // One sentence for people: what it waits for, or why it ended. answer.h's WhyNow adds the latest counts.
  std::string why;
  // Grows with each durable change.
  int64_t revision = 0;

  // Derived from the placement and the spec; null where there is none.
  std::shared_ptr<const Seats> seats;
  MeshPart mesh;
  // Soft: members with a GetRank call waiting (all their workers'), on a node that fits, not terminating.
  IndexSet here;
  // Derived: nodes where processes of an index may still run, from `stops` and Repairing::unended; a node may be named
  // in vain.
  std::map<PodIndex, std::set<NodeUid>> ending;
  // Soft: lost leases by time, so that the first to run out is at hand.
  std::set<std::pair<absl::Time, PodIndex>> lost_leases;
};

v1::Phase PhaseOf(const State& state);

// The placement that the state stands on (a repair's replacement once found); null before Placed, in Stopping and
// after.
PlacementPtr PlacementOf(const State& state);

}  // namespace muster::gang
