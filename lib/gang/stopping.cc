// Stopping: what was started is ended, node by node, before anything else happens to the job or its nodes.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

// What members that others started may still run, of this epoch and unreported.
void AddMembers(const Gang& gang, const Running& running, std::map<NodeUid, Remains>& remains) {
  for (const auto& [index, bound] : running.released->members) {
    const Member& member = gang.members.at(index);
    if (member.exit_code && bound.workers.empty()) continue;
    const v1::PlacedNode& placed = running.released->placement->ranks(bound.rank.value());
    std::set<Process> processes;
    if (bound.workers.empty()) processes.insert({index, -1, bound.incarnation, running.released->epoch});
    for (const auto& [local, worker] : bound.workers) {
      if (member.workers_exited.contains(local)) continue;
      processes.insert({index, local, worker.first, running.released->epoch});
    }
    if (!processes.empty()) remains[NodeUid(placed.node_uid())].members.merge(processes);
  }
}

// Whether the placement can be taken up as it is: none of its nodes is lost, quarantined or still to be seen empty
// (rule 9).
bool CanTakeUp(const Gang& gang, const v1::Placement& placement) {
  return Acceptable(gang, placement) &&
         std::none_of(placement.ranks().begin(), placement.ranks().end(), [&gang](const v1::PlacedNode& placed) {
           return gang.facts.shunned.contains(NodeUid(placed.node_uid()));
         });
}

// A new attempt starts on leaving Stopping, if this one ever ran or its owner has restarted it (rule 20).
void CountAttempt(Gang& gang) {
  if (!gang.ran && gang.facts.owner_restarts == gang.facts.counted_restarts) return;
  gang.attempt = Attempt(gang.attempt.value() + 1);
  gang.ran = false;
  gang.failures = 0;
  gang.facts.counted_restarts = gang.facts.owner_restarts;
  for (auto& [index, member] : gang.members) {
    member.exit_code.reset();
    member.workers_exited.clear();
  }
}

void LeaveStopping(Turn& turn) {
  Gang& gang = turn.gang;
  for (const auto& [node, stop] : gang.stops) {
    if (!stop.overdue) return;
  }
  Stopping stopping = std::get<Stopping>(std::move(gang.state));
  if (stopping.next == Next::kFinished) return Finish(turn, stopping.result, /*never=*/false, std::move(stopping.why));
  CountAttempt(gang);
  if (stopping.next == Next::kPlaced) {
    if (CanTakeUp(gang, *stopping.placement)) return EnterPlaced(turn, std::move(stopping.placement));
    stopping.why = "a node of the placement was lost while it was being stopped";
    OweVerdict(turn, VerdictOwed::Kind::kRetry, stopping.why);
  }
  EnterQueue(turn, std::move(stopping.placement), std::move(stopping.why));
}

// What Stopping has to remember of the placement.
PlacementPtr Kept(const Gang& gang, Next next, PlacementPtr placement) {
  const bool preference = next == Next::kRequeue && SourceOf(gang) == v1::PlacementSpec::BOUND;
  return next == Next::kPlaced || preference ? placement : nullptr;
}

// `next` only ever moves later, and a cancel, once it is committed, is the last (rule 1).
bool IsLater(const Gang& gang, const Stopping& stopping, Next next) {
  if (next > stopping.next) return true;
  return next == Next::kFinished && gang.cancelled && stopping.result != v1::RESULT_CANCELLED;
}

bool OwnerIsGone(const Gang& gang) {
  return gang.facts.owner == Facts::OwnerState::kFinished || gang.facts.owner == Facts::OwnerState::kDeleted;
}

}  // namespace

std::map<NodeUid, Remains> RemainsOf(const Gang& gang) {
  std::map<NodeUid, Remains> remains;
  const bool agents = LaunchOf(gang) == v1::LaunchSpec::AGENT;
  const bool jobset = LaunchOf(gang) == v1::LaunchSpec::KUBERNETES;
  if (const auto* testing = std::get_if<Testing>(&gang.state)) {
    for (const Seats::Node& node : gang.seats->nodes()) {
      if (!testing->ended.contains(node.uid)) remains[node.uid].children = true;
    }
  } else if (std::holds_alternative<Assembling>(gang.state) || std::holds_alternative<Running>(gang.state)) {
    for (const Seats::Node& node : gang.seats->nodes()) {
      if (agents) remains[node.uid].children = true;
      if (jobset) remains[node.uid].pods = true;
    }
    const auto* running = std::get_if<Running>(&gang.state);
    if (running != nullptr && !agents && !jobset) AddMembers(gang, *running, remains);
  } else if (const auto* repairing = std::get_if<Repairing>(&gang.state)) {
    remains = repairing->unended;
  }
  return remains;
}

void OweStop(Turn& turn, const NodeUid& node, const std::string& name, OrderNumber number, const Remains& remains,
             const std::string& why) {
  StopOwed& stop = turn.gang.stops[node];
  stop.number = number;
  stop.node = name;
  stop.why = why;
  stop.remains.Merge(remains);
  if (!stop.overdue) stop.deadline = turn.now + turn.limits.stop_deadline;
  IndexRemains(turn.gang, node, remains);
  turn.Durable();
  turn.change.demands = true;
}

void BeginStopping(Turn& turn, Next next, std::string why, v1::Result result) {
  Gang& gang = turn.gang;
  if (std::holds_alternative<Finished>(gang.state)) return;
  auto* stopping = std::get_if<Stopping>(&gang.state);
  if (stopping != nullptr && !IsLater(gang, *stopping, next)) return;
  if (next == Next::kFinished && result != v1::SUCCEEDED && !OwnerIsGone(gang)) {
    OweVerdict(turn, VerdictOwed::Kind::kRejected, why);
  }
  if (stopping != nullptr) {
    stopping->next = next;
    stopping->result = result;
    stopping->why = why;
    stopping->placement = Kept(gang, next, std::move(stopping->placement));
    gang.holds_since = absl::InfinitePast();
    turn.Moved(absl::StrCat("stops: ", why));
    return Settle(turn);
  }
  PlacementPtr placement = PlacementOf(gang.state);
  if (placement == nullptr) {  // Queued or Awaiting: nothing to end
    if (next == Next::kFinished) Finish(turn, result, /*never=*/false, std::move(why));
    return;
  }
  const auto remains = RemainsOf(gang);
  const OrderNumber number = remains.empty() ? gang.order : turn.NextOrder();
  for (const auto& [node, left] : remains) {
    const Seats::Node* seat = gang.seats->FindUid(node);
    OweStop(turn, node, seat == nullptr ? node.value() : seat->name, number, left, why);
  }
  gang.receipt = ReceiptId();
  gang.receipt_digest.clear();
  gang.lost_leases.clear();
  if (next != Next::kPlaced) gang.holds_since = absl::InfinitePast();
  SetSeats(turn, nullptr);
  gang.state =
      Stopping{.next = next, .placement = Kept(gang, next, std::move(placement)), .result = result, .why = why};
  turn.Moved(absl::StrCat("stops: ", why));
  Settle(turn);
}

bool CountTry(Turn& turn) {
  turn.Durable();
  return ++turn.gang.tries <= turn.limits.max_tries;
}

void TryAgain(Turn& turn, Next next, std::string why) {
  if (!CountTry(turn)) {
    absl::StrAppend(&why, "; all ", turn.limits.max_tries, " tries are used up");
    return BeginStopping(turn, Next::kFinished, std::move(why), v1::FAILED);
  }
  if (next == Next::kRequeue) OweVerdict(turn, VerdictOwed::Kind::kRetry, why);
  BeginStopping(turn, next, std::move(why));
}

void Settle(Turn& turn) {
  Gang& gang = turn.gang;
  if (std::holds_alternative<Stopping>(gang.state)) return LeaveStopping(turn);
  if (std::holds_alternative<Repairing>(gang.state)) return TryRepaired(turn);
  const auto* testing = std::get_if<Testing>(&gang.state);
  if (testing != nullptr && testing->passed && testing->ended.size() == gang.seats->nodes().size()) {
    EnterAssembling(turn, "the self-test passed");
  }
}

void Finish(Turn& turn, v1::Result result, bool never, std::string why) {
  Gang& gang = turn.gang;
  if (never) OweVerdict(turn, VerdictOwed::Kind::kRejected, why);
  // Above the number of every stop: agents may forget this job now.
  if (!gang.marked.empty()) turn.NextOrder();
  SetSeats(turn, nullptr);
  gang.facts.assigned = nullptr;
  gang.lost_leases.clear();
  gang.state = Finished{.result = result, .never = never, .why = why, .at = turn.now};
  turn.Moved(std::move(why));
}

}  // namespace muster::gang
