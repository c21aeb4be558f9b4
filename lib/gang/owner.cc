// The owner (a JobSet, a Workload), Kueue's reservations, and a person's cancel.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

bool IsKueue(const Gang& gang) { return SourceOf(gang) == v1::PlacementSpec::KUEUE; }

// A new Workload for the living owner of a job that failed: a new life, tries at 0 (rule 2).
bool MayLiveAgain(const Gang& gang, const Finished& finished, const Reservation& reservation) {
  return finished.result == v1::FAILED && !gang.cancelled && gang.facts.owner == Facts::OwnerState::kLiving &&
         (!gang.facts.reservation || gang.facts.reservation->workload_uid != reservation.workload_uid) &&
         (!gang.facts.spent || gang.facts.spent->workload_uid != reservation.workload_uid);
}

void LiveAgain(Turn& turn, const Reserved& event) {
  Gang& gang = turn.gang;
  gang.tries = gang.restarts = 0;
  if (gang.ran) gang.attempt = Attempt(gang.attempt.value() + 1);
  gang.ran = false;
  gang.facts.reservation = event.reservation;
  gang.facts.assigned = event.placement;
  gang.verdict_owed.reset();
  EnterQueue(turn, nullptr, "its owner submitted a new Workload");
}

}  // namespace

void OweVerdict(Turn& turn, VerdictOwed::Kind kind, std::string message) {
  Gang& gang = turn.gang;
  if (!IsKueue(gang) || !gang.facts.reservation || gang.facts.spent == gang.facts.reservation) return;
  gang.verdict_owed = VerdictOwed{.kind = kind, .reservation = *gang.facts.reservation, .message = std::move(message)};
  if (kind != VerdictOwed::Kind::kReady) gang.facts.spent = gang.facts.reservation;
  turn.Durable();
  turn.change.demands = true;
}

void UseReservation(Turn& turn) {
  Gang& gang = turn.gang;
  if (!IsKueue(gang) || !std::holds_alternative<Awaiting>(gang.state)) return;
  if (!gang.facts.reservation || gang.facts.assigned == nullptr || gang.facts.spent == gang.facts.reservation) return;
  const v1::Placement& assigned = *gang.facts.assigned;
  if (!Acceptable(gang, assigned)) {
    return OweVerdict(turn, VerdictOwed::Kind::kRetry,
                      absl::StrCat("the assignment can't be used: ", assigned.ranks_size(), " nodes for ",
                                   turn.members(), " members, or one where a test of this job has not ended"));
  }
  for (const NodeUid& node : gang.facts.shunned) {
    if (Names(assigned, node)) {
      return OweVerdict(turn, VerdictOwed::Kind::kRetry,
                        absl::StrCat("the assignment names node ", node.value(), ", which is lost or quarantined"));
    }
  }
  EnterPlaced(turn, gang.facts.assigned);
}

void On(Turn& turn, const Reserved& event) {
  Gang& gang = turn.gang;
  if (!IsKueue(gang) || event.placement == nullptr) return;
  if (gang.facts.reservation == event.reservation) return;
  if (const auto* finished = std::get_if<Finished>(&gang.state)) {
    if (MayLiveAgain(gang, *finished, event.reservation)) return LiveAgain(turn, event);
    gang.facts.reservation = event.reservation;
    return OweVerdict(turn, VerdictOwed::Kind::kRejected, absl::StrCat("the job has ended: ", finished->why));
  }
  gang.facts.reservation = event.reservation;
  gang.facts.assigned = event.placement;
  // A verdict belongs to one reservation; the one before is gone (rule 13).
  gang.verdict_owed.reset();
  turn.Durable();
  turn.change.demands = true;
  if (std::holds_alternative<Awaiting>(gang.state)) return UseReservation(turn);
  BeginStopping(turn, Next::kRequeue, "Kueue assigned other nodes");
}

void On(Turn& turn, const Evicted&) {
  Gang& gang = turn.gang;
  if (!IsKueue(gang) || !gang.facts.reservation) return;
  gang.facts.reservation.reset();
  gang.facts.assigned = nullptr;
  gang.verdict_owed.reset();
  turn.Durable();
  turn.change.demands = true;
  BeginStopping(turn, Next::kRequeue, "Kueue took the reservation back");
}

void On(Turn& turn, const VerdictSeen& event) {
  Gang& gang = turn.gang;
  if (!gang.verdict_owed || gang.verdict_owed->reservation != event.reservation) return;
  gang.verdict_owed.reset();
  turn.Durable();
  turn.change.demands = true;
}

void On(Turn& turn, const OwnerRestarted& event) {
  Gang& gang = turn.gang;
  if (event.restarts <= gang.facts.owner_restarts) return;
  gang.facts.owner_restarts = event.restarts;
  turn.Durable();
  if (std::holds_alternative<Queued>(gang.state) || std::holds_alternative<Awaiting>(gang.state)) {
    gang.attempt = Attempt(gang.attempt.value() + 1);
    gang.facts.counted_restarts = event.restarts;
    return;
  }
  const Next next = SourceOf(gang) == v1::PlacementSpec::BOUND ? Next::kRequeue : Next::kPlaced;
  BeginStopping(turn, next, absl::StrCat("its owner restarted it (restart ", event.restarts, ")"));
}

void On(Turn& turn, const OwnerFinished& event) {
  Gang& gang = turn.gang;
  if (gang.facts.owner != Facts::OwnerState::kLiving) return;
  gang.facts.owner = Facts::OwnerState::kFinished;
  turn.Durable();
  BeginStopping(turn, Next::kFinished, event.succeeded ? "its owner finished" : "its owner failed",
                event.succeeded ? v1::SUCCEEDED : v1::FAILED);
}

void On(Turn& turn, const OwnerDeleted&) {
  Gang& gang = turn.gang;
  if (gang.facts.owner == Facts::OwnerState::kNone || gang.facts.owner == Facts::OwnerState::kDeleted) return;
  gang.facts.owner = Facts::OwnerState::kDeleted;
  turn.Durable();
  BeginStopping(turn, Next::kFinished, "its owner was deleted", v1::RESULT_CANCELLED);
}

void On(Turn& turn, const CancelRequested& event) {
  Gang& gang = turn.gang;
  if (gang.cancelled || std::holds_alternative<Finished>(gang.state)) return;
  gang.cancelled = true;
  turn.Durable();
  std::string why = absl::StrCat("cancelled", event.reason.empty() ? "" : ": ", event.reason);
  // Its end was on its way, for a reason that is worth knowing still.
  const auto* stopping = std::get_if<Stopping>(&gang.state);
  if (stopping != nullptr && stopping->next == Next::kFinished)
    absl::StrAppend(&why, " (it ended: ", stopping->why, ")");
  BeginStopping(turn, Next::kFinished, std::move(why), v1::RESULT_CANCELLED);
}

}  // namespace muster::gang
