#pragma once
// Internal to Step: the moves between states, one file a state, and what the event handlers share.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "lib/gang/event.h"
#include "lib/gang/limits.h"
#include "lib/gang/state.h"
#include "lib/gang/step.h"

namespace muster::gang {

// One step being made.
struct Turn {
  Gang& gang;
  absl::Time now;
  Change& change;
  Limits limits;

  int32_t members() const { return gang.spec->members(); }
  int32_t workers() const { return std::max(gang.spec->workers_per_member(), 1); }
  // Something durable changed.
  void Durable() { change.durable = true; }
  // The state is another now: everybody looks again.
  void Moved(std::string why);
  // Something outside is started or ended by this commit (rule 11).
  OrderNumber NextOrder();
};

// --- what the spec says ---
v1::PlacementSpec::Source SourceOf(const Gang& gang);  // never SOURCE_UNSPECIFIED
v1::LaunchSpec::Kind LaunchOf(const Gang& gang);       // never KIND_UNSPECIFIED
// Agents or a JobSet of ours start the members.
bool MusterStarts(const Gang& gang);
// Another gives the nodes.
bool NodesAreGiven(const Gang& gang);

// --- placing.cc ---
// Queued or Awaiting; straight on to Placed where a usable reservation waits.
void EnterQueue(Turn& turn, PlacementPtr preferred, std::string why);
void EnterPlaced(Turn& turn, PlacementPtr placement);
// In Awaiting: takes up the reservation, if there is one to use (rule 14).
void UseReservation(Turn& turn);
// Who sits where from now on (null: nowhere), and so who is here.
void SetSeats(Turn& turn, const v1::Placement* placement);
// Whether a placement can be this gang's at all: its size and digest, and no node where something of ours may still run
// (rule 6).
bool Acceptable(const Gang& gang, const v1::Placement& placement);
bool Names(const v1::Placement& placement, const NodeUid& node);

// --- assembling.cc ---
void EnterAssembling(Turn& turn, std::string why);
// Epoch, assignments and Running in one step, if every member is here.
void TryRelease(Turn& turn);

// --- repairing.cc ---
// From Testing, Assembling or Running, where the launch allows it; else stops and queues again. Nothing is tested or
// started before `delay` is over.
void BeginRepair(Turn& turn, std::set<NodeUid> vacated, std::string why, absl::Duration delay = absl::ZeroDuration());
// Counts a failure of a command that Muster starts and starts again, and answers how long that start waits. `ran`: for
// how long the gang had run.
absl::Duration DelayOfNextStart(Turn& turn, absl::Duration ran);
// Goes on from Repairing once the replacement is there and nothing of before runs.
void TryRepaired(Turn& turn);
// In Repairing: a node that stayed is lost after all.
void VacateInRepair(Turn& turn, const NodeUid& node, const std::string& why);

// --- stopping.cc ---
// To Stopping, or a Stopping to a later next. With kFinished: the result. Leaves again at once if nothing is to end.
void BeginStopping(Turn& turn, Next next, std::string why, v1::Result result = v1::RESULT_UNSPECIFIED);
// A return that Muster causes: a counted try (rule 4). Used up: ends the job as failed.
void TryAgain(Turn& turn, Next next, std::string why);
// Counts a try; false: used up.
bool CountTry(Turn& turn);
// Everything of this job that may still run on its present nodes; stops owed apart.
std::map<NodeUid, Remains> RemainsOf(const Gang& gang);
// Adds to what has to end on a node before it leaves.
void OweStop(Turn& turn, const NodeUid& node, const std::string& name, OrderNumber number, const Remains& remains,
             const std::string& why);
// After something ended: a stop may be over, a repair go on.
void Settle(Turn& turn);
void Finish(Turn& turn, v1::Result result, bool never, std::string why);

// --- ends.cc ---
// Takes a process (of any local rank where `local_rank` is empty) off what may still run; whether it was there.
bool ProcessEnded(Turn& turn, const Process& process);
// The same for all processes of an index with that uid, less than `below` if set.
void PodEnded(Turn& turn, PodIndex index, const std::string& uid, const Incarnation* below);
// Rebuilds Gang::ending for one node.
void IndexRemains(Gang& gang, const NodeUid& node, const Remains& remains);

// --- owner.cc ---
// To Kueue's present reservation; nothing where there is none, or it was refused before.
void OweVerdict(Turn& turn, VerdictOwed::Kind kind, std::string message);

// --- members.cc ---
// Whether it is none of the starts that Muster makes, where it makes them all (launch: agent). Such a caller counts for
// nothing: whatever it says supersedes no one.
bool IsStranger(const Gang& gang, PodIndex index, const Incarnation& incarnation);
// Whether the member's call (or all its workers') waits and it may take part.
bool Ready(const Turn& turn, PodIndex index, const Member& member);
// Puts the member in or out of Gang::here.
void NoteHere(Turn& turn, PodIndex index, const Member& member);

// --- the handlers, one an event; an event that doesn't apply changes nothing ---
void On(Turn& turn, const PlacementFound& event);
void On(Turn& turn, const NeverFits& event);
void On(Turn& turn, const Preempted& event);
void On(Turn& turn, const ReplacementFound& event);
void On(Turn& turn, const ReceiptFound& event);
void On(Turn& turn, const TestPlanned& event);
void On(Turn& turn, const TestConcluded& event);
void On(Turn& turn, const MemberCalled& event);
void On(Turn& turn, const MemberHungUp& event);
void On(Turn& turn, const MemberWatches& event);
void On(Turn& turn, const CommandEnded& event);
void On(Turn& turn, const LeaseLost& event);
void On(Turn& turn, const LeaseRenewed& event);
void On(Turn& turn, const EndConfirmed& event);
void On(Turn& turn, const StartRefused& event);
void On(Turn& turn, const NodeLost& event);
void On(Turn& turn, const NodeQuarantined& event);
void On(Turn& turn, const NodeRestored& event);
void On(Turn& turn, const NodeChanged& event);
void On(Turn& turn, const PodBound& event);
void On(Turn& turn, const PodTerminating& event);
void On(Turn& turn, const PodGone& event);
void On(Turn& turn, const OwnerRestarted& event);
void On(Turn& turn, const OwnerFinished& event);
void On(Turn& turn, const OwnerDeleted& event);
void On(Turn& turn, const Reserved& event);
void On(Turn& turn, const Evicted& event);
void On(Turn& turn, const VerdictSeen& event);
void On(Turn& turn, const CancelRequested& event);
void On(Turn& turn, const TimePassed& event);
void On(Turn& turn, const CoordinatorRestarted& event);

}  // namespace muster::gang
