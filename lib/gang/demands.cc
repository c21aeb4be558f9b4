#include "lib/gang/demands.h"

#include <algorithm>

#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

bool AllBound(const Gang& gang) { return static_cast<int64_t>(gang.facts.bound.size()) == gang.spec->members(); }

// A node that others gave, where something of ours may still run: nothing is tested or started there (rule 6).
bool BoundToStopped(const Gang& gang) {
  std::set<std::string> stopped;
  for (const auto& [node, stop] : gang.stops) {
    if (stop.remains.ours()) stopped.insert(stop.node);
  }
  if (stopped.empty()) return false;
  return std::any_of(gang.facts.bound.begin(), gang.facts.bound.end(),
                     [&stopped](const auto& bound) { return stopped.contains(bound.second); });
}

bool BoundToVacated(const Gang& gang, const Repairing& repairing) {
  if (repairing.vacated.empty() || gang.seats == nullptr) return false;
  return std::any_of(gang.facts.bound.begin(), gang.facts.bound.end(), [&](const auto& bound) {
    const Seats::Node* seat = gang.seats->FindName(bound.second);
    return seat != nullptr && repairing.vacated.contains(seat->uid);
  });
}

absl::Time StateDeadline(const Gang& gang, const Limits& limits) {
  if (const auto* placed = std::get_if<Placed>(&gang.state)) return placed->deadline;
  if (const auto* testing = std::get_if<Testing>(&gang.state)) return testing->deadline;
  if (const auto* assembling = std::get_if<Assembling>(&gang.state)) return assembling->deadline;
  if (const auto* repairing = std::get_if<Repairing>(&gang.state)) {
    return repairing->not_before == absl::InfinitePast() ? repairing->deadline
                                                         : std::min(repairing->not_before, repairing->deadline);
  }
  const auto* running = std::get_if<Running>(&gang.state);
  if (running == nullptr) return absl::InfiniteFuture();
  absl::Time next = absl::InfiniteFuture();
  if (running->first_clean_exit) next = *running->first_clean_exit + limits.exit_grace;
  if (!gang.lost_leases.empty()) next = std::min(next, gang.lost_leases.begin()->first + limits.unknown_grace);
  return next;
}

void Hold(const v1::Placement& placement, std::map<NodeUid, v1::NodeUse>& holds) {
  for (const v1::PlacedNode& placed : placement.ranks()) holds[NodeUid(placed.node_uid())] = v1::ASSIGNED;
  for (const v1::PlacedNode& spare : placement.spares()) holds[NodeUid(spare.node_uid())] = v1::ASSIGNED;
}

}  // namespace

Incarnation StartedIncarnation(const Gang& gang, OrderNumber started) {
  return {.restart_attempt = 0,
          .created = absl::UnixEpoch(),
          .uid = gang.uid.value(),
          .ordinal = static_cast<int64_t>(started.value())};
}

std::map<NodeUid, v1::NodeUse> Holds(const Gang& gang) {
  std::map<NodeUid, v1::NodeUse> holds;
  if (const auto* repairing = std::get_if<Repairing>(&gang.state)) {
    Hold(*repairing->placement, holds);
    if (repairing->replacement != nullptr) Hold(*repairing->replacement, holds);
    for (const NodeUid& node : repairing->vacated) holds.erase(node);
  } else if (const auto* stopping = std::get_if<Stopping>(&gang.state)) {
    if (stopping->next == Next::kPlaced) Hold(*stopping->placement, holds);
  } else if (const PlacementPtr placement = PlacementOf(gang.state); placement != nullptr) {
    Hold(*placement, holds);
  }
  for (const auto& [node, stop] : gang.stops) holds[node] = v1::NODE_STOPPING;
  return holds;
}

absl::Time NextDeadline(const Gang& gang) {
  const Limits limits = LimitsOf(*gang.spec);
  absl::Time next = StateDeadline(gang, limits);
  if (!std::holds_alternative<Finished>(gang.state)) {
    const auto* stopping = std::get_if<Stopping>(&gang.state);
    const bool ending = stopping != nullptr && stopping->next == Next::kFinished;
    if (!ending) next = std::min(next, gang.submitted + limits.deadline);
    if (gang.holds_since != absl::InfinitePast()) next = std::min(next, gang.holds_since + limits.max_duration);
  }
  for (const auto& [node, stop] : gang.stops) {
    if (!stop.overdue) next = std::min(next, stop.deadline);
  }
  return next;
}

bool WantsPlacement(const Gang& gang) {
  if (std::holds_alternative<Queued>(gang.state)) return true;
  return std::holds_alternative<Awaiting>(gang.state) && SourceOf(gang) == v1::PlacementSpec::BOUND && AllBound(gang) &&
         !BoundToStopped(gang);
}

bool WantsTestPlan(const Gang& gang) {
  if (std::holds_alternative<Placed>(gang.state)) return true;
  const auto* repairing = std::get_if<Repairing>(&gang.state);
  return repairing != nullptr && repairing->replacement != nullptr && repairing->unended.empty() &&
         repairing->not_before == absl::InfinitePast();
}

bool WantsReplacement(const Gang& gang) {
  const auto* repairing = std::get_if<Repairing>(&gang.state);
  if (repairing == nullptr || repairing->replacement != nullptr) return false;
  return !NodesAreGiven(gang) || (AllBound(gang) && !BoundToStopped(gang) && !BoundToVacated(gang, *repairing));
}

bool WantsJobSet(const Gang& gang) {
  return LaunchOf(gang) == v1::LaunchSpec::KUBERNETES &&
         (std::holds_alternative<Assembling>(gang.state) || std::holds_alternative<Running>(gang.state));
}

}  // namespace muster::gang
