// Members: who called, which of their starts counts, and who is here.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

enum class Arrival {
  kNewer,   // the first, or greater than any before: whatever was before is superseded
  kSame,    // the one that counts, again
  kLesser,  // superseded, now and for ever
};

// Compares with the greatest seen before. Pods are ordered before their starts: two starts in one pod differ in nothing
// but the ordinal.
Arrival Compare(const Member& member, const Incarnation& incarnation, const std::optional<int32_t>& local_rank) {
  if (!member.incarnation) return Arrival::kNewer;
  if (local_rank && !member.workers.empty() && incarnation.uid == member.incarnation->uid) {
    const auto worker = member.workers.find(*local_rank);
    if (worker == member.workers.end() || incarnation > worker->second) return Arrival::kNewer;
    return incarnation == worker->second ? Arrival::kSame : Arrival::kLesser;
  }
  const bool only_seen = !member.recorded && member.last_seen == absl::InfinitePast();
  if (local_rank && only_seen && incarnation.uid == member.incarnation->uid) return Arrival::kNewer;
  if (incarnation > *member.incarnation) return Arrival::kNewer;
  if (incarnation < *member.incarnation) return Arrival::kLesser;
  return local_rank.has_value() == member.workers.empty() ? Arrival::kLesser : Arrival::kSame;
}

// Makes the newer one the one that counts. Returns whether a process that had called is superseded by it, which must be
// durable before that one is told.
bool Supersede(Member& member, const Incarnation& incarnation, const std::optional<int32_t>& local_rank) {
  bool displaced = false;
  if (local_rank && member.incarnation && incarnation.uid == member.incarnation->uid) {
    displaced = member.workers.contains(*local_rank);
    if (member.workers.empty() && member.last_seen != absl::InfinitePast()) displaced = true;
    member.incarnation = std::max(*member.incarnation, incarnation);
    member.waiting = false;
    member.watched.erase(*local_rank);
    member.workers_waiting.erase(*local_rank);
    member.workers_exited.erase(*local_rank);
  } else {
    displaced = member.incarnation && (member.recorded || member.last_seen != absl::InfinitePast());
    if (member.incarnation && incarnation.uid != member.incarnation->uid) member.terminating = false;
    member.incarnation = incarnation;
    member.workers.clear();
    member.watched.clear();
    member.waiting = false;
    member.workers_waiting.clear();
    member.workers_exited.clear();
    member.last_seen = absl::InfinitePast();
  }
  member.lease_lost.reset();
  if (local_rank) member.workers[*local_rank] = incarnation;
  return displaced;
}

bool IsValid(const Turn& turn, PodIndex index, const std::optional<int32_t>& local_rank) {
  return index.value() >= 0 && index.value() < turn.members() &&
         (!local_rank || (*local_rank >= 0 && *local_rank < turn.workers()));
}

// A member came anew, so what counted before it is lost: an epoch is over.
void AfterSuperseding(Turn& turn, PodIndex index, const Incarnation& incarnation, bool displaced) {
  Gang& gang = turn.gang;
  Member& member = gang.members[index];
  turn.change.wake.insert(index);
  if (displaced || member.recorded) {
    member.recorded = true;
    turn.Durable();
  }
  NoteHere(turn, index, member);
  // A newer start in the same pod means that its container was restarted. On hosts it proves nothing.
  if (NodesAreGiven(gang) || LaunchOf(gang) == v1::LaunchSpec::KUBERNETES) {
    PodEnded(turn, index, incarnation.uid, &incarnation);
  }
  if (std::holds_alternative<Running>(gang.state)) {
    BeginRepair(turn, {}, absl::StrCat("member ", index.value(), " was started anew"));
    if (NodesAreGiven(gang)) PodEnded(turn, index, incarnation.uid, &incarnation);
  }
}

// The greater one must outlive a restart of the coordinator once a lesser one was refused for it.
void RecordRefusal(Turn& turn, Member& member) {
  if (std::exchange(member.recorded, true)) return;
  turn.Durable();
}

// Where pods are is another's to decide: a pod elsewhere moves the placement, not the pod (rule 19).
void NoteBound(Turn& turn, PodIndex index, const std::string& node) {
  Gang& gang = turn.gang;
  if (!NodesAreGiven(gang) || node.empty()) return;
  std::string& bound = gang.facts.bound[index];
  if (bound != node) {
    bound = node;
    turn.change.demands = true;  // the engine may now know enough
  }
  if (gang.seats == nullptr || gang.seats->Fits(index, node)) return;
  const std::string why = absl::StrCat("member ", index.value(), " is on ", node, ", outside the placement");
  if (std::holds_alternative<Placed>(gang.state)) return BeginStopping(turn, Next::kRequeue, why);
  if (std::holds_alternative<Testing>(gang.state) || std::holds_alternative<Assembling>(gang.state)) {
    return BeginRepair(turn, {}, why);
  }
  // A replacement was laid over pods that have moved since.
  if (auto* repairing = std::get_if<Repairing>(&gang.state);
      repairing != nullptr && repairing->replacement != nullptr) {
    repairing->replacement = nullptr;
    SetSeats(turn, repairing->placement.get());
    turn.Durable();
    turn.change.demands = true;
  }
}

// Where agents start the members, each order to start ends what an earlier one started: a survivor of the epoch before
// that calls again would be released only to be ended, and the new one would count as a member started anew.
bool AboutToBeReplaced(const Gang& gang, const Member& member) {
  if (LaunchOf(gang) != v1::LaunchSpec::AGENT) return false;
  const auto* assembling = std::get_if<Assembling>(&gang.state);
  return assembling == nullptr || *member.incarnation != StartedIncarnation(gang, assembling->started);
}

// The latest order under which members were started, as far as the state has it; else the latest order of all: each
// start is numbered above it.
int64_t LatestStart(const Gang& gang, PodIndex index) {
  if (const auto* assembling = std::get_if<Assembling>(&gang.state)) {
    return StartedIncarnation(gang, assembling->started).ordinal;
  }
  if (const auto* running = std::get_if<Running>(&gang.state)) {
    const auto bound = running->released->members.find(index);
    if (bound != running->released->members.end()) return bound->second.incarnation.ordinal;
  }
  return StartedIncarnation(gang, gang.order).ordinal;
}

}  // namespace

bool IsStranger(const Gang& gang, PodIndex index, const Incarnation& incarnation) {
  if (LaunchOf(gang) != v1::LaunchSpec::AGENT) return false;
  Incarnation made = StartedIncarnation(gang, OrderNumber());
  made.ordinal = incarnation.ordinal;
  return incarnation != made || incarnation.ordinal < 1 || incarnation.ordinal > LatestStart(gang, index);
}

bool Ready(const Turn& turn, PodIndex index, const Member& member) {
  if (!member.incarnation || member.terminating || AboutToBeReplaced(turn.gang, member)) return false;
  const bool all = member.waiting || static_cast<int32_t>(member.workers_waiting.size()) == turn.workers();
  return all && (turn.gang.seats == nullptr || turn.gang.seats->Fits(index, member.node));
}

void NoteHere(Turn& turn, PodIndex index, const Member& member) {
  if (Ready(turn, index, member)) {
    turn.gang.here.Insert(index);
  } else {
    turn.gang.here.Erase(index);
  }
}

namespace {

// A member whose answer was lost on its way never started the command of that epoch, and so can't report its end.
void NeverStarted(Turn& turn, const Member& member, const MemberCalled& event) {
  if (!event.last_epoch || *event.last_epoch >= turn.gang.epoch) return;
  const auto watched = member.watched.find(event.local_rank.value_or(-1));
  if (watched != member.watched.end() && watched->second >= turn.gang.epoch) return;
  if (std::holds_alternative<Running>(turn.gang.state)) return;  // it gets the answer again
  const Process process{event.index, event.local_rank.value_or(-1), event.incarnation, turn.gang.epoch};
  if (ProcessEnded(turn, process)) Settle(turn);
}

}  // namespace

void On(Turn& turn, const MemberCalled& event) {
  Gang& gang = turn.gang;
  if (!IsValid(turn, event.index, event.local_rank) || std::holds_alternative<Finished>(gang.state)) return;
  if (IsStranger(gang, event.index, event.incarnation)) return;
  Member& member = gang.members[event.index];
  const Arrival arrival = Compare(member, event.incarnation, event.local_rank);
  if (arrival == Arrival::kLesser) return RecordRefusal(turn, member);
  const bool displaced = arrival == Arrival::kNewer && Supersede(member, event.incarnation, event.local_rank);
  member.last_seen = turn.now;
  if (arrival == Arrival::kNewer) AfterSuperseding(turn, event.index, event.incarnation, displaced);
  // The same one, already released: it is answered with the same bytes and waits for nothing.
  if (std::holds_alternative<Running>(gang.state) || std::holds_alternative<Finished>(gang.state)) return;
  member.node = event.node;
  if (!event.local_rank || *event.local_rank == 0) {
    member.address = event.address;
    member.reserved_port = event.reserved_port;
  }
  if (event.local_rank) {
    member.workers_waiting.insert(*event.local_rank);
  } else {
    member.waiting = true;
  }
  NoteHere(turn, event.index, member);
  NeverStarted(turn, member, event);
  NoteBound(turn, event.index, event.node);
  TryRelease(turn);
}

void On(Turn& turn, const MemberWatches& event) {
  const auto found = turn.gang.members.find(event.index);
  if (found == turn.gang.members.end() || event.epoch > turn.gang.epoch) return;
  Member& member = found->second;
  if (!event.local_rank) {
    if (member.incarnation == event.incarnation) member.watched[-1] = event.epoch;
    return;
  }
  const auto worker = member.workers.find(*event.local_rank);
  if (worker == member.workers.end() || worker->second != event.incarnation) return;
  member.watched[*event.local_rank] = event.epoch;
}

void On(Turn& turn, const MemberHungUp& event) {
  Gang& gang = turn.gang;
  const auto found = gang.members.find(event.index);
  if (found == gang.members.end()) return;
  Member& member = found->second;
  if (event.local_rank) {
    const auto worker = member.workers.find(*event.local_rank);
    if (worker == member.workers.end() || worker->second != event.incarnation) return;
    member.workers_waiting.erase(*event.local_rank);
  } else {
    if (member.incarnation != event.incarnation) return;
    member.waiting = false;
  }
  NoteHere(turn, event.index, member);
}

void On(Turn& turn, const PodBound& event) {
  Gang& gang = turn.gang;
  if (!IsValid(turn, event.index, std::nullopt) || std::holds_alternative<Finished>(gang.state)) return;
  Member& member = gang.members[event.index];
  const bool same_pod = member.incarnation && member.incarnation->uid == event.incarnation.uid;
  if (!same_pod) {
    if (member.incarnation && event.incarnation < *member.incarnation) return RecordRefusal(turn, member);
    const bool displaced = Supersede(member, event.incarnation, std::nullopt);
    AfterSuperseding(turn, event.index, event.incarnation, displaced);
  }
  if (std::holds_alternative<Running>(gang.state) || std::holds_alternative<Finished>(gang.state)) return;
  member.node = event.node;
  NoteHere(turn, event.index, member);
  NoteBound(turn, event.index, event.node);
}

void On(Turn& turn, const PodTerminating& event) {
  Gang& gang = turn.gang;
  const auto found = gang.members.find(event.index);
  if (found == gang.members.end()) return;
  Member& member = found->second;
  if (!member.incarnation || member.incarnation->uid != event.incarnation.uid || member.terminating) return;
  member.terminating = member.recorded = true;
  turn.Durable();
  gang.here.Erase(event.index);
  gang.facts.bound.erase(event.index);
}

}  // namespace muster::gang
