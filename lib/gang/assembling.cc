// Assembling: tested; waits until every member is here, then releases them all in one step.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/gang/moves.h"
#include "lib/gang/release.h"

namespace muster::gang {
namespace {

// A pass of this very placement that nothing has voided since (rule 18).
bool MayRelease(const Gang& gang, const v1::Placement& placement) {
  return gang.waived || (!gang.receipt.value().empty() && gang.receipt_digest == placement.digest());
}

// More members called from a node than it has ranks.
void RefuseSurplus(Turn& turn, const std::set<PodIndex>& surplus) {
  Gang& gang = turn.gang;
  if (NodesAreGiven(gang)) {
    return BeginRepair(turn, {}, absl::StrCat(surplus.size(), " members are on nodes that have no rank left for them"));
  }
  for (const PodIndex index : surplus) {
    Member& member = gang.members[index];
    member.waiting = false;
    member.workers_waiting.clear();
    gang.here.Erase(index);
    turn.change.wake.insert(index);
  }
}

// Presence is counted anew for each epoch (rule 19).
void Bind(Member& member) {
  member.recorded = true;
  member.waiting = false;
  member.workers_waiting.clear();
  member.exit_code.reset();
  member.workers_exited.clear();
  member.lease_lost.reset();
}

}  // namespace

void EnterAssembling(Turn& turn, std::string why) {
  Gang& gang = turn.gang;
  if (LaunchOf(gang) == v1::LaunchSpec::TEST_ONLY) {
    return BeginStopping(turn, Next::kFinished, absl::StrCat("nothing to start: ", why), v1::SUCCEEDED);
  }
  const PlacementPtr placement = PlacementOf(gang.state);
  Assembling assembling{
      .placement = placement, .started = OrderNumber(), .deadline = turn.now + turn.limits.assemble_deadline};
  if (MusterStarts(gang)) assembling.started = turn.NextOrder();
  if (LaunchOf(gang) == v1::LaunchSpec::AGENT) {
    for (const Seats::Node& node : gang.seats->nodes()) gang.marked.insert(node.uid);
  }
  gang.state = std::move(assembling);
  for (const auto& [index, member] : gang.members) NoteHere(turn, index, member);
  turn.Moved(absl::StrCat(why, "; waits for all ", turn.members(), " members to call"));
  OweVerdict(turn, VerdictOwed::Kind::kReady, why);
  // Members may have been on other nodes before they had to be somewhere.
  if (NodesAreGiven(gang)) {
    for (const auto& [index, node] : gang.facts.bound) {
      if (!gang.seats->Fits(index, node)) {
        return BeginRepair(turn, {},
                           absl::StrCat("member ", index.value(), " is on ", node, ", outside the placement"));
      }
    }
  }
  TryRelease(turn);
}

void TryRelease(Turn& turn) {
  Gang& gang = turn.gang;
  auto* assembling = std::get_if<Assembling>(&gang.state);
  if (assembling == nullptr || gang.here.count() != turn.members()) return;
  if (!MayRelease(gang, *assembling->placement)) {
    return BeginStopping(turn, Next::kPlaced, "the self-test's pass is no longer valid");
  }
  std::vector<std::string> nodes;
  nodes.reserve(gang.members.size());
  for (const auto& [index, member] : gang.members) nodes.push_back(member.node);
  std::set<PodIndex> surplus;
  const auto ranks = gang.seats->Rank(nodes, &surplus);
  if (!ranks) return RefuseSurplus(turn, surplus);
  auto released = MakeReleased(gang, *ranks, Epoch(gang.epoch.value() + 1));
  if (!released.ok()) {
    return BeginStopping(turn, Next::kFinished, std::string(released.status().message()), v1::FAILED);
  }
  gang.epoch = (*released)->epoch;
  gang.ran = true;
  // What came before led somewhere: from here on restarts are counted, not tries.
  gang.tries = 0;
  gang.lost_leases.clear();
  gang.here.Clear();
  for (auto& [index, member] : gang.members) Bind(member);
  gang.state = Running{.released = *std::move(released), .first_clean_exit = std::nullopt, .exited = 0};
  turn.Moved(absl::StrCat("released: epoch ", gang.epoch.value(), ", ", turn.members(),
                          turn.members() == 1 ? " member on " : " members on ", gang.seats->nodes().size(),
                          gang.seats->nodes().size() == 1 ? " node" : " nodes"));
}

}  // namespace muster::gang
