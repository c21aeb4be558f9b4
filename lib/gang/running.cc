// Running: every exit counts, leases may lapse, pods may die.

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

bool HasLivingOwner(const Gang& gang) { return gang.facts.owner == Facts::OwnerState::kLiving; }

// The member of this epoch that the report speaks of; null if it is of another incarnation.
const Released::Member* Bound(const Running& running, PodIndex index, const Incarnation& incarnation,
                              const std::optional<int32_t>& local_rank) {
  const auto bound = running.released->members.find(index);
  if (bound == running.released->members.end()) return nullptr;
  if (!local_rank) {
    return bound->second.workers.empty() && bound->second.incarnation == incarnation ? &bound->second : nullptr;
  }
  const auto worker = bound->second.workers.find(*local_rank);
  return worker != bound->second.workers.end() && worker->second.first == incarnation ? &bound->second : nullptr;
}

void ExitedCleanly(Turn& turn, Running& running, Member& member) {
  Gang& gang = turn.gang;
  member.exit_code = 0;
  member.lease_lost.reset();
  if (!running.first_clean_exit) running.first_clean_exit = turn.now;
  ++running.exited;
  turn.change.demands = true;
  if (running.exited < turn.members()) {
    gang.why = absl::StrCat(
        running.exited, " of ", turn.members(), " members exited cleanly; the others have until ",
        absl::FormatTime("%H:%M:%S UTC", *running.first_clean_exit + turn.limits.exit_grace, absl::UTCTimeZone()));
  } else if (HasLivingOwner(gang)) {
    gang.why = absl::StrCat("all ", turn.members(), " members exited cleanly; waits for the owner to finish");
  } else {
    BeginStopping(turn, Next::kFinished, absl::StrCat("all ", turn.members(), " members exited cleanly"),
                  v1::SUCCEEDED);
  }
}

// How the member ended and where to look for the reason.
std::string ExitText(const v1::Placement& placement, NodeRank rank, const CommandEnded& event) {
  std::string text = event.ordered
                         ? absl::StrCat("member ", event.index.value(), " was ended from outside")
                         : absl::StrCat("member ", event.index.value(), " exited with code ", event.exit_code);
  if (rank.value() >= 0 && rank.value() < placement.ranks_size()) {
    absl::StrAppend(&text, " on ", placement.ranks(rank.value()).node());
  }
  if (!event.logs.empty()) absl::StrAppend(&text, ", its output is in ", event.logs);
  return text;
}

void ExitedBadly(Turn& turn, Running& running, NodeRank rank, Member& member, const CommandEnded& event) {
  member.exit_code = event.exit_code == 0 ? 1 : event.exit_code;
  const std::string why = ExitText(*running.released->placement, rank, event);
  if (running.exited + 1 == turn.members() && !HasLivingOwner(turn.gang)) {
    return BeginStopping(turn, Next::kFinished, absl::StrCat(why, ", the last to exit"), v1::FAILED);
  }
  const absl::Duration delay =
      event.ordered ? absl::ZeroDuration() : DelayOfNextStart(turn, turn.now - turn.gang.since);
  BeginRepair(turn, {}, why, delay);
}

void ExitInRunning(Turn& turn, Running& running, const CommandEnded& event) {
  if (event.epoch != turn.gang.epoch) return;
  const Released::Member* bound = Bound(running, event.index, event.incarnation, event.local_rank);
  Member& member = turn.gang.members[event.index];
  if (bound == nullptr || member.exit_code) return;
  const bool clean = event.exit_code == 0 && !event.ordered;
  if (event.local_rank) {
    if (!member.workers_exited.insert(*event.local_rank).second) return;
    turn.Durable();
    if (clean && member.workers_exited.size() < bound->workers.size()) return;
  }
  turn.Durable();
  if (clean) {
    ExitedCleanly(turn, running, member);
  } else {
    ExitedBadly(turn, running, bound->rank, member, event);
  }
}

// While repairing, an epoch whose every member exited by itself has nobody left to repair it for (rule 2).
void ExitInRepairing(Turn& turn, Repairing& repairing, const CommandEnded& event) {
  Gang& gang = turn.gang;
  Member& member = gang.members[event.index];
  if (!repairing.was_running || event.ordered || member.exit_code || event.epoch != gang.epoch) return;
  member.exit_code = event.exit_code;
  turn.Durable();
  ++repairing.exited;
  if (repairing.exited == turn.members() && gang.here.count() == 0 && !HasLivingOwner(gang) && !MusterStarts(gang)) {
    BeginStopping(turn, Next::kFinished, absl::StrCat("all ", turn.members(), " members exited: ", repairing.why),
                  v1::FAILED);
  }
}

// Members that Muster had started ended before they were released: nobody else starts them again.
void ExitInAssembling(Turn& turn, const Assembling& assembling, const CommandEnded& event) {
  if (LaunchOf(turn.gang) != v1::LaunchSpec::AGENT) return;
  if (event.incarnation != StartedIncarnation(turn.gang, assembling.started)) return;
  // Agents start index i on the node of rank i.
  const std::string why =
      absl::StrCat(ExitText(*assembling.placement, NodeRank(event.index.value()), event), ", before it had its ranks");
  if (!CountTry(turn)) {
    return BeginStopping(turn, Next::kFinished,
                         absl::StrCat(why, "; all ", turn.limits.max_tries, " tries are used up"), v1::FAILED);
  }
  BeginRepair(turn, {}, why, DelayOfNextStart(turn, absl::ZeroDuration()));
}

}  // namespace

void On(Turn& turn, const CommandEnded& event) {
  Gang& gang = turn.gang;
  if (event.index.value() < 0 || event.index.value() >= turn.members()) return;
  const bool was_ending =
      ProcessEnded(turn, {event.index, event.local_rank.value_or(-1), event.incarnation, event.epoch});
  if (auto* running = std::get_if<Running>(&gang.state)) {
    ExitInRunning(turn, *running, event);
  } else if (auto* assembling = std::get_if<Assembling>(&gang.state)) {
    ExitInAssembling(turn, *assembling, event);
  } else if (auto* repairing = std::get_if<Repairing>(&gang.state); repairing != nullptr && was_ending) {
    ExitInRepairing(turn, *repairing, event);
  }
  if (was_ending) Settle(turn);
}

void On(Turn& turn, const LeaseLost& event) {
  Gang& gang = turn.gang;
  const auto found = gang.members.find(event.index);
  if (!std::holds_alternative<Running>(gang.state) || found == gang.members.end()) return;
  Member& member = found->second;
  if (member.exit_code || member.lease_lost) return;
  member.lease_lost = turn.now;
  gang.lost_leases.emplace(turn.now, event.index);
  turn.change.demands = true;
}

void On(Turn& turn, const LeaseRenewed& event) {
  Gang& gang = turn.gang;
  const auto found = gang.members.find(event.index);
  if (found == gang.members.end() || !found->second.lease_lost) return;
  Member& member = found->second;
  if (member.incarnation != event.incarnation) return;
  gang.lost_leases.erase({*member.lease_lost, event.index});
  member.lease_lost.reset();
  turn.change.demands = true;
}

void On(Turn& turn, const PodGone& event) {
  Gang& gang = turn.gang;
  PodEnded(turn, event.index, event.incarnation.uid, nullptr);
  const auto found = gang.members.find(event.index);
  if (found == gang.members.end() || std::holds_alternative<Finished>(gang.state)) return;
  Member& member = found->second;
  if (event.incarnation.uid.empty() || !member.incarnation || member.incarnation->uid != event.incarnation.uid) return;
  if (!member.terminating) turn.Durable();
  member.terminating = member.recorded = true;
  gang.here.Erase(event.index);
  gang.facts.bound.erase(event.index);
  if (!std::holds_alternative<Running>(gang.state) || member.exit_code) return;
  BeginRepair(turn, {}, absl::StrCat("the pod of member ", event.index.value(), " is gone"));
  PodEnded(turn, event.index, event.incarnation.uid, nullptr);
}

}  // namespace muster::gang
