// What time alone does: deadlines, and a restart of the coordinator, which gives every wait a full period anew.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/gang/answer.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

// A stop that nobody confirmed in time. Pods and processes of others are no reason to keep nodes that are another's to
// give (rule 6); everything else keeps its node, quarantined until somebody knows (rule 7).
void PassStops(Turn& turn) {
  Gang& gang = turn.gang;
  bool passed = false;
  for (auto it = gang.stops.begin(); it != gang.stops.end();) {
    StopOwed& stop = it->second;
    if (stop.overdue || turn.now < stop.deadline) {
      ++it;
      continue;
    }
    passed = true;
    if (NodesAreGiven(gang) && !stop.remains.ours()) {
      it = gang.stops.erase(it);
      continue;
    }
    stop.overdue = true;
    turn.change.quarantines.push_back(
        {.node = it->first,
         .reason = absl::StrCat("the end of job ", gang.ns, "/", gang.name, " on it was not confirmed within ",
                                absl::FormatDuration(turn.limits.stop_deadline)),
         .without_expiry = true});
    ++it;
  }
  if (!passed) return;
  turn.Durable();
  turn.change.demands = true;
  Settle(turn);
}

void PassTesting(Turn& turn, const Testing& testing) {
  if (turn.now < testing.deadline) return;
  std::vector<std::string> silent;
  for (const Seats::Node& node : turn.gang.seats->nodes()) {
    if (!testing.ended.contains(node.uid)) silent.push_back(node.name);
  }
  std::string why = absl::StrCat("the self-test did not end in time");
  if (!silent.empty()) absl::StrAppend(&why, "; not heard: ", FewNames(silent));
  if (LaunchOf(turn.gang) == v1::LaunchSpec::TEST_ONLY) {
    return BeginStopping(turn, Next::kFinished, why, v1::FAILED);
  }
  TryAgain(turn, Next::kPlaced, why);
}

void PassRunning(Turn& turn, const Running& running) {
  Gang& gang = turn.gang;
  if (running.first_clean_exit && turn.now >= *running.first_clean_exit + turn.limits.exit_grace) {
    const int32_t left = turn.members() - running.exited;
    if (left == 0) {
      return BeginStopping(turn, Next::kFinished,
                           absl::StrCat("all ", turn.members(), " members exited cleanly and the owner said nothing"),
                           v1::SUCCEEDED);
    }
    return BeginStopping(turn, Next::kFinished,
                         absl::StrCat(left, " of ", turn.members(), " members ran on for ",
                                      absl::FormatDuration(turn.limits.exit_grace), " after the first clean exit"),
                         v1::FAILED);
  }
  if (gang.lost_leases.empty()) return;
  const auto [since, index] = *gang.lost_leases.begin();
  if (turn.now < since + turn.limits.unknown_grace) return;
  BeginRepair(turn, {},
              absl::StrCat("member ", index.value(), " was not heard for ",
                           absl::FormatDuration(turn.limits.unknown_grace), " after its lease"));
}

void PassAssembling(Turn& turn, const Assembling& assembling) {
  if (turn.now < assembling.deadline) return;
  BeginStopping(turn, Next::kFinished, absl::StrCat("not all members came in time: ", WhyNow(turn.gang)), v1::FAILED);
}

void PassRepairing(Turn& turn, Repairing& repairing) {
  if (turn.now >= repairing.deadline) {
    return TryAgain(
        turn, Next::kRequeue,
        absl::StrCat("not repaired within ", absl::FormatDuration(turn.limits.repair_deadline), ": ", repairing.why));
  }
  if (repairing.not_before == absl::InfinitePast() || turn.now < repairing.not_before) return;
  repairing.not_before = absl::InfinitePast();
  turn.Durable();
  turn.change.demands = true;
  TryRepaired(turn);
}

void PassState(Turn& turn) {
  Gang& gang = turn.gang;
  if (const auto* placed = std::get_if<Placed>(&gang.state)) {
    if (turn.now >= placed->deadline) TryAgain(turn, Next::kRequeue, "no self-test could be planned in time");
  } else if (const auto* testing = std::get_if<Testing>(&gang.state)) {
    PassTesting(turn, *testing);
  } else if (const auto* assembling = std::get_if<Assembling>(&gang.state)) {
    PassAssembling(turn, *assembling);
  } else if (const auto* running = std::get_if<Running>(&gang.state)) {
    PassRunning(turn, *running);
  } else if (auto* repairing = std::get_if<Repairing>(&gang.state)) {
    PassRepairing(turn, *repairing);
  }
}

bool PassJobDeadline(Turn& turn) {
  Gang& gang = turn.gang;
  if (std::holds_alternative<Finished>(gang.state) || turn.now < gang.submitted + turn.limits.deadline) return false;
  BeginStopping(turn, Next::kFinished,
                absl::StrCat("its deadline of ", absl::FormatDuration(turn.limits.deadline), " is over"), v1::FAILED);
  return true;
}

bool PassDuration(Turn& turn) {
  Gang& gang = turn.gang;
  if (gang.holds_since == absl::InfinitePast() || turn.now < gang.holds_since + turn.limits.max_duration) return false;
  BeginStopping(turn, Next::kFinished,
                absl::StrCat("its maxDuration of ", absl::FormatDuration(turn.limits.max_duration), " is over"),
                v1::FAILED);
  return true;
}

void Extend(absl::Time& deadline, absl::Time to) { deadline = std::max(deadline, to); }

void ExtendDeadlines(Turn& turn) {
  Gang& gang = turn.gang;
  const Limits& limits = turn.limits;
  for (auto& [node, stop] : gang.stops) {
    if (!stop.overdue) Extend(stop.deadline, turn.now + limits.stop_deadline);
  }
  if (auto* placed = std::get_if<Placed>(&gang.state)) {
    Extend(placed->deadline, turn.now + limits.plan_deadline);
  } else if (auto* testing = std::get_if<Testing>(&gang.state)) {
    Extend(testing->deadline, turn.now + limits.test_deadline + limits.report_slack);
  } else if (auto* assembling = std::get_if<Assembling>(&gang.state)) {
    Extend(assembling->deadline, turn.now + limits.assemble_deadline);
  } else if (auto* running = std::get_if<Running>(&gang.state)) {
    if (running->first_clean_exit) Extend(*running->first_clean_exit, turn.now);
  } else if (auto* repairing = std::get_if<Repairing>(&gang.state)) {
    Extend(repairing->deadline, turn.now + limits.repair_deadline);
  }
}

}  // namespace

void On(Turn& turn, const TimePassed&) {
  PassStops(turn);
  if (!PassJobDeadline(turn) && !PassDuration(turn)) PassState(turn);
}

void On(Turn& turn, const CoordinatorRestarted&) {
  Gang& gang = turn.gang;
  ExtendDeadlines(turn);
  for (auto& [index, member] : gang.members) {
    member.waiting = false;
    member.workers_waiting.clear();
    member.lease_lost.reset();
    member.last_seen = absl::InfinitePast();
  }
  gang.here.Clear();
  gang.lost_leases.clear();
  gang.facts.bound.clear();
  turn.change.durable = turn.change.demands = turn.change.wake_all = true;
}

}  // namespace muster::gang
