// How it becomes known that something has ended: by the agent, the cluster, a person, or a member's own report.

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

// What the node still has to be seen free of: in `stops`, or in a repair that keeps the node. At most two places.
std::vector<Remains*> RemainsAt(Gang& gang, const NodeUid& node) {
  std::vector<Remains*> places;
  if (const auto stop = gang.stops.find(node); stop != gang.stops.end()) places.push_back(&stop->second.remains);
  if (auto* repairing = std::get_if<Repairing>(&gang.state)) {
    const auto left = repairing->unended.find(node);
    if (left != repairing->unended.end()) places.push_back(&left->second);
  }
  return places;
}

void DropEmpty(Turn& turn, const NodeUid& node) {
  Gang& gang = turn.gang;
  turn.Durable();
  turn.change.demands = true;
  if (const auto stop = gang.stops.find(node); stop != gang.stops.end() && stop->second.remains.empty()) {
    gang.stops.erase(stop);
  }
  if (auto* repairing = std::get_if<Repairing>(&gang.state)) {
    const auto left = repairing->unended.find(node);
    if (left != repairing->unended.end() && left->second.empty()) repairing->unended.erase(left);
  }
}

template <typename Ended>
bool EraseProcesses(Turn& turn, PodIndex index, Ended ended) {
  Gang& gang = turn.gang;
  const auto nodes = gang.ending.find(index);
  if (nodes == gang.ending.end()) return false;
  bool found = false;
  for (auto node = nodes->second.begin(); node != nodes->second.end();) {
    bool left = false;
    bool erased = false;
    for (Remains* remains : RemainsAt(gang, *node)) {
      erased |= std::erase_if(remains->members, ended) > 0;
      left |= std::any_of(remains->members.begin(), remains->members.end(),
                          [index](const Process& process) { return process.index == index; });
    }
    if (erased) DropEmpty(turn, *node);
    found |= erased;
    node = left ? std::next(node) : nodes->second.erase(node);
  }
  if (nodes->second.empty()) gang.ending.erase(nodes);
  return found;
}

void Confirm(Remains& remains, EndConfirmed::By by) {
  if (by != EndConfirmed::By::kCluster) remains.children = false;
  if (by != EndConfirmed::By::kAgent) {
    remains.pods = false;
    remains.members.clear();
  }
}

}  // namespace

void IndexRemains(Gang& gang, const NodeUid& node, const Remains& remains) {
  for (const Process& process : remains.members) gang.ending[process.index].insert(node);
}

bool ProcessEnded(Turn& turn, const Process& process) {
  return EraseProcesses(turn, process.index, [&process](const Process& other) { return other == process; });
}

void PodEnded(Turn& turn, PodIndex index, const std::string& uid, const Incarnation* below) {
  if (uid.empty()) return;  // no pod: hosts have only ordinals
  const bool found = EraseProcesses(turn, index, [&](const Process& process) {
    return process.index == index && process.incarnation.uid == uid &&
           (below == nullptr || process.incarnation < *below);
  });
  if (found) Settle(turn);
}

void On(Turn& turn, const EndConfirmed& event) {
  Gang& gang = turn.gang;
  // A number that was never given says nothing; one below the stop's speaks of another time (rule 11).
  if (event.number > gang.order) return;
  bool heard = false;
  const auto stop = gang.stops.find(event.node);
  if (stop != gang.stops.end() && event.number >= stop->second.number) {
    Confirm(stop->second.remains, event.by);
    heard = true;
  }
  if (auto* repairing = std::get_if<Repairing>(&gang.state)) {
    const auto left = repairing->unended.find(event.node);
    if (left != repairing->unended.end() && event.number >= repairing->ordered) {
      Confirm(left->second, event.by);
      heard = true;
    }
  }
  if (heard) DropEmpty(turn, event.node);
  if (auto* testing = std::get_if<Testing>(&gang.state)) {
    if (event.number >= testing->ordered && gang.seats->FindUid(event.node) != nullptr &&
        testing->ended.insert(event.node).second) {
      turn.Durable();
      heard = true;
    }
  }
  if (heard) Settle(turn);
}

}  // namespace muster::gang
