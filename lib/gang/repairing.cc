// Repairing: a member or a node is lost. The nodes that stay are kept; nothing of before may run there when it goes on.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

// A restart of a running gang is counted; false: used up, the job is being ended.
bool CountRestart(Turn& turn, const std::string& why) {
  if (++turn.gang.restarts <= turn.limits.max_restarts) return true;
  BeginStopping(turn, Next::kFinished, absl::StrCat(why, "; all ", turn.limits.max_restarts, " restarts are used up"),
                v1::FAILED);
  return false;
}

int32_t CountExited(const Gang& gang) {
  return static_cast<int32_t>(
      std::count_if(gang.members.begin(), gang.members.end(), [](const auto& m) { return m.second.exit_code; }));
}

// Nodes whose loss nobody waited for while the gang ran: quarantined ones keep a running job, not a repairing one.
void AddShunned(const Gang& gang, std::set<NodeUid>& vacated) {
  for (const NodeUid& node : gang.facts.shunned) {
    if (gang.seats->FindUid(node) != nullptr) vacated.insert(node);
  }
}

// Whether the rank's seat is open: its node is vacated, or (pods placed by others) its pod has moved away.
bool IsOpen(const Gang& gang, const Repairing& repairing, const v1::PlacedNode& placed,
            const std::set<std::string>& occupied) {
  if (repairing.vacated.contains(NodeUid(placed.node_uid()))) return true;
  if (!NodesAreGiven(gang)) return false;
  const auto bound = gang.facts.bound.find(PodIndex(placed.pod_index()));
  if (SourceOf(gang) == v1::PlacementSpec::BOUND && bound != gang.facts.bound.end()) {
    return bound->second != placed.node();
  }
  return !occupied.contains(placed.node());
}

// No other member moves: ranks that are not open stay where they are, and none goes to a node that is lost.
bool Replaces(const Gang& gang, const Repairing& repairing, const v1::Placement& found) {
  if (!Acceptable(gang, found)) return false;
  std::set<std::string> occupied;
  for (const auto& [index, node] : gang.facts.bound) occupied.insert(node);
  for (int32_t rank = 0; rank < found.ranks_size(); ++rank) {
    const v1::PlacedNode& before = repairing.placement->ranks(rank);
    const NodeUid after(found.ranks(rank).node_uid());
    if (repairing.vacated.contains(after)) return false;
    if (after.value() != before.node_uid() && !IsOpen(gang, repairing, before, occupied)) return false;
  }
  const Seats seats(found, SeatedByIndex(*gang.spec));
  return !NodesAreGiven(gang) || std::all_of(gang.facts.bound.begin(), gang.facts.bound.end(),
                                             [&](const auto& bound) { return seats.Fits(bound.first, bound.second); });
}

}  // namespace

absl::Duration DelayOfNextStart(Turn& turn, absl::Duration ran) {
  Gang& gang = turn.gang;
  if (LaunchOf(gang) != v1::LaunchSpec::AGENT) return absl::ZeroDuration();
  if (ran >= turn.limits.settled_after) gang.failures = 0;
  turn.Durable();
  absl::Duration delay = absl::ZeroDuration();
  for (int32_t earlier = 0; earlier < gang.failures && delay < turn.limits.max_restart_delay; ++earlier) {
    delay = earlier == 0 ? turn.limits.restart_delay : 2 * delay;
  }
  // Enough to reach any greatest delay: the count itself says nothing more.
  gang.failures = std::min(gang.failures + 1, 64);
  return std::min(delay, turn.limits.max_restart_delay);
}

void BeginRepair(Turn& turn, std::set<NodeUid> vacated, std::string why, absl::Duration delay) {
  Gang& gang = turn.gang;
  const bool was_running = std::holds_alternative<Running>(gang.state);
  if (was_running && !CountRestart(turn, why)) return;
  // Tests the nodes that were asked for, no others.
  if (LaunchOf(gang) == v1::LaunchSpec::TEST_ONLY) return BeginStopping(turn, Next::kFinished, why, v1::FAILED);
  // The affinity of a JobSet that exists can't change (rule 21).
  if (LaunchOf(gang) == v1::LaunchSpec::KUBERNETES && !std::holds_alternative<Testing>(gang.state)) {
    return BeginStopping(turn, Next::kRequeue, std::move(why));
  }
  AddShunned(gang, vacated);
  Repairing repairing;
  repairing.placement = PlacementOf(gang.state);
  repairing.was_running = was_running;
  repairing.why = why;
  if (delay > absl::ZeroDuration()) repairing.not_before = turn.now + delay;
  repairing.deadline = turn.now + delay + turn.limits.repair_deadline;
  repairing.exited = was_running ? CountExited(gang) : 0;
  auto remains = RemainsOf(gang);
  if (!remains.empty()) repairing.ordered = turn.NextOrder();
  for (auto& [node, left] : remains) {
    if (vacated.contains(node)) {
      OweStop(turn, node, gang.seats->FindUid(node)->name, repairing.ordered, left, why);
    } else {
      IndexRemains(gang, node, left);
      repairing.unended.emplace(node, std::move(left));
    }
  }
  if (vacated.empty() && !NodesAreGiven(gang)) repairing.replacement = repairing.placement;
  repairing.vacated = std::move(vacated);
  gang.receipt = ReceiptId();
  gang.receipt_digest.clear();
  gang.lost_leases.clear();
  for (auto& [index, member] : gang.members) member.lease_lost.reset();
  gang.state = std::move(repairing);
  turn.Moved(absl::StrCat("repairs: ", why));
  TryRepaired(turn);
}

void TryRepaired(Turn& turn) {
  Gang& gang = turn.gang;
  if (!WantsTestPlan(gang)) return;
  if (!std::holds_alternative<Repairing>(gang.state)) return;
  turn.change.demands = true;
  if (gang.waived) EnterAssembling(turn, "repaired; self-test waived");
}

void VacateInRepair(Turn& turn, const NodeUid& node, const std::string& why) {
  Gang& gang = turn.gang;
  auto& repairing = std::get<Repairing>(gang.state);
  const bool in_replacement = repairing.replacement != nullptr && Names(*repairing.replacement, node);
  const bool stayed = Names(*repairing.placement, node) && !repairing.vacated.contains(node);
  if (!in_replacement && !stayed) return;
  if (in_replacement) {
    repairing.replacement = nullptr;
    SetSeats(turn, repairing.placement.get());
  }
  if (stayed) repairing.vacated.insert(node);
  if (const auto left = repairing.unended.find(node); left != repairing.unended.end()) {
    const Seats::Node* seat = gang.seats->FindUid(node);
    OweStop(turn, node, seat == nullptr ? node.value() : seat->name, turn.NextOrder(), left->second, why);
    repairing.unended.erase(left);
  }
  gang.why = absl::StrCat("repairs: ", why);
  turn.Durable();
  turn.change.demands = true;
}

void On(Turn& turn, const ReplacementFound& event) {
  Gang& gang = turn.gang;
  auto* repairing = std::get_if<Repairing>(&gang.state);
  if (repairing == nullptr || event.placement == nullptr || !WantsReplacement(gang)) return;
  if (!Replaces(gang, *repairing, *event.placement)) return;
  for (const v1::PlacedNode& placed : event.placement->ranks()) gang.facts.shunned.erase(NodeUid(placed.node_uid()));
  repairing->replacement = event.placement;
  SetSeats(turn, event.placement.get());
  gang.why = absl::StrCat("repairs: ", repairing->why, "; a replacement is found");
  turn.Durable();
  turn.change.demands = turn.change.wake_all = true;
  TryRepaired(turn);
}

}  // namespace muster::gang
