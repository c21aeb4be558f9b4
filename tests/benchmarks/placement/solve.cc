#include "tests/benchmarks/placement/solve.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/placement/repair.h"
#include "nlohmann/json.hpp"

namespace muster::placement {
namespace {

// The first that holds: too few nodes, no domain that holds all, slices that don't fit.
std::string ReasonFor(const Instance& instance) {
  const Request& wanted = *instance.request;
  Request request = wanted;
  v1::PlacementSpec& placement = *request.spec.mutable_placement();
  placement.clear_slices();
  placement.clear_required();
  if (CanPlace(request, instance.cluster) != v1::OK) return "capacity";
  placement.set_required(wanted.spec.placement().required());
  if (CanPlace(request, instance.cluster) != v1::OK) return "required";
  return "slices";
}

Answer SolveRepair(const Instance& instance) {
  RepairRequest repair;
  repair.request = &*instance.request;
  repair.units = instance.pinned;
  repair.vacated = instance.vacated;
  // The file doesn't say which nodes were lost: nodes that can't be had and that no rank has stand for them.
  const std::set<NodeIndex> pinned(instance.pinned.begin(), instance.pinned.end());
  int32_t lost = 0;
  for (const int32_t unit : instance.vacated) {
    while (lost + 1 < instance.cluster.topology->size() &&
           (instance.cluster.Available(NodeIndex(lost)) || pinned.count(NodeIndex(lost)) > 0)) {
      ++lost;
    }
    repair.units[unit] = NodeIndex(lost++);
  }
  const Decision decision = Repair(repair, instance.cluster, instance.costs, 0);
  Answer answer;
  answer.reason = "capacity";
  const auto* placed = std::get_if<Placed>(&decision);
  if (placed == nullptr) return answer;
  answer.feasible = true;
  answer.units = placed->units;
  std::vector<bool> idle(instance.cluster.states.size());
  for (size_t i = 0; i < idle.size(); ++i) idle[i] = instance.cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  answer.score =
      ScoreOf(instance.request->traffic, *instance.cluster.topology, instance.costs, Wishes(), idle, answer.units, {});
  answer.bound = answer.score.total();
  answer.steps = placed->steps;
  answer.alternatives = placed->placement.alternatives();
  return answer;
}

}  // namespace

Answer Solve(const Instance& instance, const SearchOptions& options) {
  Answer answer;
  if (!instance.request) {
    answer.reason = "shape";
    return answer;
  }
  if (!instance.pinned.empty()) return SolveRepair(instance);
  const Decision decision = Place(*instance.request, instance.cluster, instance.costs, options);
  const auto* placed = std::get_if<Placed>(&decision);
  if (placed == nullptr) {
    answer.reason = ReasonFor(instance);
    return answer;
  }
  answer.feasible = true;
  answer.units = placed->units;
  answer.spares = placed->spares;
  answer.score = placed->score;
  answer.bound = placed->bound;
  answer.steps = placed->steps;
  answer.alternatives = placed->placement.alternatives();
  return answer;
}

std::string SolutionJson(const Instance& instance, const Answer& answer) {
  nlohmann::json json;
  if (!answer.feasible) {
    json["feasible"] = false;
    json["reason"] = answer.reason;
    return json.dump() + "\n";
  }
  const auto names = [&](const std::vector<NodeIndex>& nodes) {
    std::vector<std::string> named;
    for (const NodeIndex node : nodes) named.push_back(instance.cluster.topology->node(node).name);
    return named;
  };
  json["nodes"] = names(answer.units);
  if (!answer.spares.empty()) json["spares"] = names(answer.spares);
  return json.dump() + "\n";
}

}  // namespace muster::placement
