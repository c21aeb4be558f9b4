// Queued, Awaiting and Placed: from a wish to nodes that are held.

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

std::string WaitsForNodes(const Gang& gang) {
  switch (SourceOf(gang)) {
    case v1::PlacementSpec::KUEUE:
      return "waits for Kueue to reserve quota and assign nodes";
    case v1::PlacementSpec::BOUND:
      return absl::StrCat("waits for all ", gang.spec->members(), " members to be bound to nodes");
    default:
      return absl::StrCat("waits in the queue for nodes for ", gang.spec->members(), " members");
  }
}

// Whether every pod that is bound sits where the placement has it.
bool BoundFit(const Gang& gang, const v1::Placement& placement) {
  const Seats seats(placement, SeatedByIndex(*gang.spec));
  for (const auto& [index, node] : gang.facts.bound) {
    if (!seats.Fits(index, node)) return false;
  }
  return true;
}

}  // namespace

bool Names(const v1::Placement& placement, const NodeUid& node) {
  for (const v1::PlacedNode& placed : placement.ranks()) {
    if (placed.node_uid() == node.value()) return true;
  }
  return false;
}

bool Acceptable(const Gang& gang, const v1::Placement& placement) {
  if (placement.ranks_size() != gang.spec->members() || placement.digest().empty()) return false;
  for (const v1::PlacedNode& placed : placement.ranks()) {
    const auto stop = gang.stops.find(NodeUid(placed.node_uid()));
    if (stop == gang.stops.end()) continue;
    if (!NodesAreGiven(gang) || stop->second.remains.ours()) return false;
  }
  return true;
}

void SetSeats(Turn& turn, const v1::Placement* placement) {
  Gang& gang = turn.gang;
  gang.seats = placement == nullptr ? nullptr : std::make_shared<const Seats>(*placement, SeatedByIndex(*gang.spec));
  gang.here.Clear();
  for (const auto& [index, member] : gang.members) NoteHere(turn, index, member);
}

void EnterQueue(Turn& turn, PlacementPtr preferred, std::string why) {
  Gang& gang = turn.gang;
  gang.receipt = ReceiptId();
  gang.receipt_digest.clear();
  SetSeats(turn, nullptr);
  gang.holds_since = absl::InfinitePast();
  if (NodesAreGiven(gang)) {
    gang.state = Awaiting{.preferred = SourceOf(gang) == v1::PlacementSpec::BOUND ? std::move(preferred) : nullptr};
  } else {
    gang.state = Queued{};
  }
  turn.Moved(absl::StrCat(WaitsForNodes(gang), why.empty() ? "" : " again: ", why));
  UseReservation(turn);
}

void EnterPlaced(Turn& turn, PlacementPtr placement) {
  Gang& gang = turn.gang;
  gang.receipt = ReceiptId();
  gang.receipt_digest.clear();
  SetSeats(turn, placement.get());
  if (gang.holds_since == absl::InfinitePast()) gang.holds_since = turn.now;
  gang.state = Placed{.placement = std::move(placement), .deadline = turn.now + turn.limits.plan_deadline};
  turn.Moved(absl::StrCat("placed on ", gang.seats->nodes().size(), " nodes; the self-test is being planned"));
  if (gang.waived) EnterAssembling(turn, "self-test waived");
}

void On(Turn& turn, const PlacementFound& event) {
  Gang& gang = turn.gang;
  const bool bound = std::holds_alternative<Awaiting>(gang.state) && SourceOf(gang) == v1::PlacementSpec::BOUND;
  if (!std::holds_alternative<Queued>(gang.state) && !bound) return;
  if (event.placement == nullptr || !Acceptable(gang, *event.placement)) return;
  if (bound && !BoundFit(gang, *event.placement)) return;
  // Whoever chose these nodes knows better than our last news of them.
  for (const v1::PlacedNode& placed : event.placement->ranks()) gang.facts.shunned.erase(NodeUid(placed.node_uid()));
  EnterPlaced(turn, event.placement);
}

void On(Turn& turn, const NeverFits& event) {
  const State& state = turn.gang.state;
  if (!std::holds_alternative<Queued>(state) && !std::holds_alternative<Awaiting>(state)) return;
  Finish(turn, v1::FAILED, /*never=*/true, event.why.empty() ? "no state of this cluster can hold it" : event.why);
}

void On(Turn& turn, const Preempted& event) {
  // Nodes that another gave are another's to take.
  if (NodesAreGiven(turn.gang) || LaunchOf(turn.gang) == v1::LaunchSpec::TEST_ONLY) return;
  BeginStopping(turn, Next::kRequeue, event.why);
}

}  // namespace muster::gang
