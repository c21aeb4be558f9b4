#include "lib/placement/repair.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/placement/descent.h"
#include "lib/placement/feasible.h"
#include "lib/placement/place.h"
#include "lib/placement/report.h"
#include "lib/placement/site.h"
#include "lib/placement/vacancies.h"

namespace muster::placement {
namespace {

// Looks at edges while choosing, and while improving.
constexpr int64_t kChooseSteps = 8'000'000;
constexpr int64_t kDescentSteps = 4'000'000;

std::string Nodes(int64_t count) { return absl::StrCat(count, count == 1 ? " node" : " nodes"); }

// A repair with all that follows from it.
struct Task {
  const RepairRequest& repair;
  const Cluster& cluster;
  const HopCosts& costs;
  Question question;
  std::vector<bool> vacant;    // by unit
  std::vector<bool> pinned;    // by NodeIndex: has a unit that stays
  std::set<NodeIndex> gone;    // nodes that were vacated
  std::set<NodeIndex> spares;  // that are ok
};

// Narrows a set of nodes to those that could take a vacated unit.
std::vector<bool> Candidates(const Task& task, const std::vector<bool>& base) {
  const Topology& topology = *task.cluster.topology;
  std::vector<bool> nodes = base;
  absl::optional<DomainIndex> within;
  if (task.question.required_tier != kNoTier) {
    for (size_t unit = 0; unit < task.vacant.size() && !within; ++unit) {
      if (!task.vacant[unit]) within = topology.DomainOf(task.repair.units[unit], task.question.required_tier);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex node(static_cast<int32_t>(i));
    if (task.gone.count(node) > 0 || task.pinned[i]) nodes[i] = false;
    if (within && topology.DomainOf(node, task.question.required_tier) != within) nodes[i] = false;
  }
  return nodes;
}

// Small moves of the vacated units, where branch and bound was cut short.
Layout Improved(const Site& site, const UnitGraph& graph, const std::vector<bool>& fixed, const Layout& layout) {
  int64_t steps = kDescentSteps;
  const Wishes wishes;
  State state(site, graph, wishes, layout, {});
  Descend(site, graph, fixed, steps, state);
  return state.layout();
}

// The new node of every unit; empty: these nodes don't do. `gave_up`: the search was cut short.
Units Solve(const Task& task, const std::vector<bool>& candidates, bool& gave_up) {
  const Request& request = *task.repair.request;
  std::vector<bool> nodes = candidates;
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = nodes[i] || task.pinned[i];
  std::vector<SliceRule> rules = task.question.rules;
  for (size_t unit = 0; unit < task.vacant.size(); ++unit) {
    // A placement that another scheduler made needn't keep the slices; then the rest needn't either.
    const bool knows = task.vacant[unit] || KnowsSliceTiers(rules, *task.cluster.topology, task.repair.units[unit]);
    if (!knows) rules.clear();
  }
  std::vector<bool> idle(nodes.size());
  for (size_t i = 0; i < idle.size(); ++i) idle[i] = task.cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  const Site site(*task.cluster.topology, task.costs, rules, Topology::root(), nodes, idle);
  const UnitGraph graph(request.traffic, request.units);
  Vacancies vacancies;
  vacancies.site = &site;
  vacancies.graph = &graph;
  vacancies.layout.assign(task.vacant.size(), kVacant);
  std::vector<int32_t> slot_of(nodes.size(), kVacant);
  for (size_t slot = 0; slot < site.slots().size(); ++slot) {
    int32_t free = 0;
    int32_t spares = 0;
    for (const NodeIndex node : site.slots()[slot].nodes) {
      slot_of[node.value()] = static_cast<int32_t>(slot);
      if (task.pinned[node.value()]) continue;
      ++free;
      spares += task.spares.count(node) > 0 ? 1 : 0;
    }
    vacancies.free.push_back(free);
    vacancies.spares.push_back(spares);
  }
  std::vector<bool> fixed(task.vacant.size());
  for (size_t unit = 0; unit < task.vacant.size(); ++unit) {
    if (task.vacant[unit]) continue;
    vacancies.layout[unit] = slot_of[task.repair.units[unit].value()];
    fixed[unit] = true;
  }
  const Filled filled = Fill(vacancies, kChooseSteps);
  gave_up = filled.gave_up;
  if (filled.layout.empty()) return {};
  const bool improve = gave_up && request.traffic.cliques.empty();
  const Layout layout = improve ? Improved(site, graph, fixed, filled.layout) : filled.layout;
  // Name the nodes: a slot's spares first, then in natural order.
  std::set<NodeIndex> taken;
  Units units = task.repair.units;
  for (const int32_t unit : task.repair.vacated) {
    absl::optional<NodeIndex> chosen;
    for (const NodeIndex node : site.slots()[layout[unit]].nodes) {
      if (!candidates[node.value()] || taken.count(node) > 0) continue;
      if (!chosen || (task.spares.count(node) > 0 && task.spares.count(*chosen) == 0)) chosen = node;
    }
    units[unit] = *chosen;
    taken.insert(*chosen);
  }
  return units;
}

std::string PlacedReason(const Task& task, const Units& units) {
  const Topology& topology = *task.cluster.topology;
  std::vector<std::string> moves;
  for (const int32_t unit : task.repair.vacated) {
    moves.push_back(absl::StrCat("node rank ", unit * task.repair.request->members_per_node, " from ",
                                 topology.node(task.repair.units[unit]).name, " to ",
                                 task.spares.count(units[unit]) > 0 ? "spare " : "", topology.node(units[unit]).name));
  }
  const size_t stay = task.vacant.size() - task.repair.vacated.size();
  if (stay == 0) return absl::StrCat("moved ", FewNames(moves));
  return absl::StrCat("moved ", FewNames(moves), "; the other ", Nodes(static_cast<int64_t>(stay)),
                      stay == 1 ? " stays" : " stay");
}

Placed PlacedOf(const Task& task, Units units) {
  Placed placed;
  const std::set<NodeIndex> used(units.begin(), units.end());
  for (const NodeIndex spare : task.repair.spares) {
    if (used.count(spare) == 0 && task.gone.count(spare) == 0) placed.spares.push_back(spare);
  }
  placed.placement = Report(*task.repair.request, task.cluster, task.costs, units, placed.spares);
  placed.placement.set_alternatives(1);
  placed.placement.set_reason(PlacedReason(task, units));
  placed.units = std::move(units);
  return placed;
}

// Nobody stays: a placement as any other, without the nodes that were lost.
Decision PlaceAnew(const Task& task) {
  Cluster cluster = task.cluster;
  for (const NodeIndex node : task.gone) cluster.state_of(node).ok = false;
  for (const NodeIndex spare : task.spares) cluster.state_of(spare).free = true;
  return Place(*task.repair.request, cluster, task.costs);
}

}  // namespace

Decision Repair(const RepairRequest& repair, const Cluster& cluster, const HopCosts& costs) {
  const Topology& topology = *cluster.topology;
  Task task{repair, cluster, costs, {}, {}, {}, {}, {}};
  if (absl::optional<Never> never = Ask(*repair.request, cluster, task.question)) return *std::move(never);
  task.vacant.assign(repair.units.size(), false);
  task.pinned.assign(topology.size(), false);
  for (const int32_t unit : repair.vacated) {
    task.vacant[unit] = true;
    task.gone.insert(repair.units[unit]);
  }
  for (size_t unit = 0; unit < repair.units.size(); ++unit) {
    if (!task.vacant[unit]) task.pinned[repair.units[unit].value()] = true;
  }
  std::vector<bool> usable = task.question.usable;
  for (const NodeIndex spare : repair.spares) {
    if (!cluster.state_of(spare).ok || task.gone.count(spare) > 0) continue;
    task.spares.insert(spare);
    usable[spare.value()] = task.question.eligible[spare.value()];
  }
  if (repair.vacated.size() == repair.units.size()) return PlaceAnew(task);
  const std::vector<bool> now = Candidates(task, usable);
  bool gave_up = false;
  if (Units units = Solve(task, now, gave_up); !units.empty()) return PlacedOf(task, std::move(units));

  const std::string needs =
      absl::StrCat("replacements for ", Nodes(static_cast<int64_t>(repair.vacated.size())), " are needed",
                   task.question.required_tier == kNoTier
                       ? ""
                       : absl::StrCat(" in the gang's own ", topology.tiers()[task.question.required_tier].name),
                   task.question.rules.empty() ? "" : ", under its slices");
  const std::vector<bool> ever = Candidates(task, task.question.eligible);
  const auto count = [](const std::vector<bool>& nodes) { return std::count(nodes.begin(), nodes.end(), true); };
  bool ever_gave_up = false;
  if (!gave_up && Solve(task, ever, ever_gave_up).empty() && !ever_gave_up) {
    return Never{absl::StrCat(needs, "; only ", count(ever), " other nodes fit at all"),
                 {"start the gang anew elsewhere: cancel the job and submit it again"}};
  }
  NotNow not_now;
  not_now.needed = static_cast<int64_t>(repair.vacated.size());
  not_now.reason = absl::StrCat(needs, "; ", Nodes(count(now)), " that fit are free and healthy");
  return not_now;
}

}  // namespace muster::placement
