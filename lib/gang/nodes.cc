// Nodes of this job that are lost, quarantined, changed or restored, and agents that refuse.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

// The placement that would be harmed, also one that Stopping is to take up again or a reservation means.
bool Concerns(const Gang& gang, const NodeUid& node) {
  if (gang.seats != nullptr && gang.seats->FindUid(node) != nullptr) return true;
  if (const auto* repairing = std::get_if<Repairing>(&gang.state)) return Names(*repairing->placement, node);
  const auto* stopping = std::get_if<Stopping>(&gang.state);
  if (stopping != nullptr && stopping->placement != nullptr && Names(*stopping->placement, node)) return true;
  return gang.facts.assigned != nullptr && Names(*gang.facts.assigned, node);
}

// A node of a job that isn't running yet, or (lost) of any.
void LoseNode(Turn& turn, const NodeUid& node, const std::string& why) {
  Gang& gang = turn.gang;
  if (auto* stopping = std::get_if<Stopping>(&gang.state)) {
    if (stopping->next != Next::kPlaced) return;
    OweVerdict(turn, VerdictOwed::Kind::kRetry, why);
    return BeginStopping(turn, Next::kRequeue, why);
  }
  if (std::holds_alternative<Repairing>(gang.state)) return VacateInRepair(turn, node, why);
  if (gang.seats == nullptr || gang.seats->FindUid(node) == nullptr) return;
  const bool untested = std::holds_alternative<Placed>(gang.state) || std::holds_alternative<Testing>(gang.state);
  if (std::holds_alternative<Placed>(gang.state) || (untested && SourceOf(gang) == v1::PlacementSpec::KUEUE)) {
    OweVerdict(turn, VerdictOwed::Kind::kRetry, why);
    return BeginStopping(turn, Next::kRequeue, why);
  }
  BeginRepair(turn, {node}, why);
}

std::string Sentence(const Gang& gang, const NodeUid& node, const char* what, const std::string& why) {
  const Seats::Node* seat = gang.seats == nullptr ? nullptr : gang.seats->FindUid(node);
  return absl::StrCat("node ", seat == nullptr ? node.value() : seat->name, " ", what, why.empty() ? "" : ": ", why);
}

// Remembers what the node is until it is restored; whether that was news.
bool Shun(Turn& turn, const NodeUid& node) {
  if (!turn.gang.facts.shunned.insert(node).second) return false;
  turn.Durable();
  return true;
}

}  // namespace

void On(Turn& turn, const NodeLost& event) {
  Gang& gang = turn.gang;
  if (std::holds_alternative<Finished>(gang.state) || !Concerns(gang, event.node)) return;
  Shun(turn, event.node);
  LoseNode(turn, event.node, Sentence(gang, event.node, "is lost", event.why));
}

void On(Turn& turn, const NodeQuarantined& event) {
  Gang& gang = turn.gang;
  if (std::holds_alternative<Finished>(gang.state) || !Concerns(gang, event.node)) return;
  Shun(turn, event.node);
  if (std::holds_alternative<Running>(gang.state)) return;  // a running job keeps it (rule 15)
  LoseNode(turn, event.node, Sentence(gang, event.node, "is quarantined", event.why));
}

void On(Turn& turn, const NodeRestored& event) {
  if (turn.gang.facts.shunned.erase(event.node) > 0) turn.Durable();
}

void On(Turn& turn, const NodeChanged& event) {
  Gang& gang = turn.gang;
  if (gang.seats == nullptr || gang.seats->FindUid(event.node) == nullptr) return;
  const std::string why = Sentence(gang, event.node, "came back changed", event.why);
  if (std::holds_alternative<Testing>(gang.state) || std::holds_alternative<Assembling>(gang.state)) {
    BeginStopping(turn, Next::kPlaced, absl::StrCat(why, ", which voids the self-test"));
  } else if (std::holds_alternative<Running>(gang.state)) {
    BeginRepair(turn, {}, why);  // its members did not survive that
  }
}

void On(Turn& turn, const StartRefused& event) {
  Gang& gang = turn.gang;
  if (gang.seats == nullptr || gang.seats->FindUid(event.node) == nullptr) return;
  OrderNumber ordered;
  if (const auto* testing = std::get_if<Testing>(&gang.state)) ordered = testing->ordered;
  if (const auto* assembling = std::get_if<Assembling>(&gang.state)) ordered = assembling->started;
  if (ordered == OrderNumber() || event.number != ordered) return;
  const std::string why = Sentence(gang, event.node, "refused", event.why);
  if (SourceOf(gang) == v1::PlacementSpec::KUEUE) return TryAgain(turn, Next::kRequeue, why);
  if (!CountTry(turn)) {
    return BeginStopping(turn, Next::kFinished,
                         absl::StrCat(why, "; all ", turn.limits.max_tries, " tries are used up"), v1::FAILED);
  }
  BeginRepair(turn, {event.node}, why);
}

}  // namespace muster::gang
