#include "lib/placement/repair.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/descent.h"
#include "lib/placement/feasible.h"
#include "lib/placement/penalties.h"
#include "lib/placement/place.h"
#include "lib/placement/report.h"
#include "lib/placement/rules.h"
#include "lib/placement/site.h"
#include "lib/placement/vacancies.h"

namespace muster::placement {
namespace {

// Looks at edges while choosing, and while improving.
constexpr int64_t kChooseSteps = 8'000'000;
constexpr int64_t kDescentSteps = 4'000'000;
// How many times what starting over would cost is worth telling.
constexpr double kMarkedly = 1.25;

std::string Nodes(int64_t count) { return absl::StrCat(count, count == 1 ? " node" : " nodes"); }

// A repair with all that follows from it.
struct Task {
  const RepairRequest& repair;
  const Cluster& cluster;
  const HopCosts& costs;
  int64_t anew_steps;
  Question question;
  std::vector<bool> vacant;    // by unit
  std::vector<bool> pinned;    // by NodeIndex: has a unit that stays
  std::set<NodeIndex> gone;    // nodes that were vacated
  std::set<NodeIndex> spares;  // that are ok
};

// Without those to be avoided, but for the job's own spares.
std::vector<bool> Welcome(const Task& task, std::vector<bool> nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex node(static_cast<int32_t>(i));
    if (task.question.likes.Avoids(node) && task.spares.count(node) == 0) nodes[i] = false;
  }
  return nodes;
}

// The price of a further domain of the preferred tier, as Place sees it.
Wishes PreferredOf(const Task& task) {
  Wishes wishes;
  wishes.preferred_tier = task.question.preferred_tier;
  wishes.preferred_penalty = PreferredPenalty(*task.repair.request, task.costs);
  return wishes;
}

// The rules that what stays keeps. A placement that another scheduler made needn't keep all; then the rest needn't
// either.
Rules RulesLeft(const Task& task) {
  const Topology& topology = *task.cluster.topology;
  Rules rules = task.question.rules;
  std::map<DomainIndex, int32_t> owners;
  for (size_t unit = 0; unit < task.vacant.size(); ++unit) {
    if (task.vacant[unit]) continue;
    const NodeIndex node = task.repair.units[unit];
    if (!KnowsTiers(rules, topology, node)) return Rules();
    if (rules.apart.tier == kNoTier) continue;
    const auto [at, added] = owners.emplace(*topology.DomainOf(node, rules.apart.tier), rules.apart.replica[unit]);
    if (at->second != rules.apart.replica[unit]) return Rules();
  }
  for (const CountRule& rule : rules.counts) {
    std::map<DomainIndex, int32_t> counts;
    for (size_t unit = 0; unit < task.vacant.size(); ++unit) {
      if (!task.vacant[unit]) ++counts[*topology.DomainOf(task.repair.units[unit], rule.tier)];
    }
    for (const auto& [domain, count] : counts) {
      if (count > rule.most) return Rules();
    }
  }
  return rules;
}

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
Layout Improved(const Site& site, const UnitGraph& graph, const Wishes& wishes, const std::vector<bool>& fixed,
                const Layout& layout) {
  int64_t steps = kDescentSteps;
  State state(site, graph, wishes, layout, {});
  Descend(site, graph, fixed, steps, state);
  return state.layout();
}

// The new node of every unit; empty: these nodes don't do. `gave_up`: the search was cut short.
Units Solve(const Task& task, const std::vector<bool>& candidates, bool& gave_up) {
  const Request& request = *task.repair.request;
  std::vector<bool> nodes = candidates;
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = nodes[i] || task.pinned[i];
  const Rules rules = RulesLeft(task);
  const Wishes wishes = PreferredOf(task);
  std::vector<bool> idle(nodes.size());
  for (size_t i = 0; i < idle.size(); ++i) idle[i] = task.cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  const Site site(*task.cluster.topology, task.costs, rules, Topology::root(), nodes, idle);
  const UnitGraph graph(request.traffic, request.units);
  Vacancies vacancies;
  vacancies.site = &site;
  vacancies.graph = &graph;
  vacancies.wishes = wishes;
  vacancies.layout.assign(task.vacant.size(), kVacant);
  std::vector<int32_t> slot_of(nodes.size(), kVacant);
  for (size_t slot = 0; slot < site.slots().size(); ++slot) {
    int32_t free = 0;
    int32_t spares = 0;
    int32_t preferred = 0;
    for (const NodeIndex node : site.slots()[slot].nodes) {
      slot_of[node.value()] = static_cast<int32_t>(slot);
      if (task.pinned[node.value()]) continue;
      ++free;
      const bool spare = task.spares.count(node) > 0;
      spares += spare ? 1 : 0;
      preferred += !spare && task.question.likes.Prefers(node) ? 1 : 0;
    }
    vacancies.free.push_back(free);
    vacancies.spares.push_back(spares);
    vacancies.preferred.push_back(preferred);
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
  const Layout layout = improve ? Improved(site, graph, wishes, fixed, filled.layout) : filled.layout;
  // Name the nodes: a slot's spares first, then preferred ones, then in natural order.
  const auto rank = [&](NodeIndex node) { return task.spares.count(node) > 0 ? -1 : task.question.likes.Rank(node); };
  std::set<NodeIndex> taken;
  Units units = task.repair.units;
  for (const int32_t unit : task.repair.vacated) {
    absl::optional<NodeIndex> chosen;
    for (const NodeIndex node : site.slots()[layout[unit]].nodes) {
      if (!candidates[node.value()] || taken.count(node) > 0) continue;
      if (!chosen || rank(node) < rank(*chosen)) chosen = node;
    }
    units[unit] = *chosen;
    taken.insert(*chosen);
  }
  return units;
}

// ", under its slices".
std::string RuleNames(const Rules& rules) {
  std::vector<std::string> names;
  if (!rules.slices.empty()) names.push_back("slices");
  if (!rules.counts.empty()) names.push_back("bounds by domain");
  if (rules.apart.tier != kNoTier) names.push_back("replicas apart");
  return names.empty() ? "" : absl::StrCat(", under its ", absl::StrJoin(names, " and "));
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

// A copy in which the gang's own nodes are free, and those that were lost can't be had.
Cluster WithoutGang(const Task& task) {
  Cluster cluster = task.cluster;
  for (size_t unit = 0; unit < task.vacant.size(); ++unit) cluster.state_of(task.repair.units[unit]).free = true;
  for (const NodeIndex spare : task.spares) cluster.state_of(spare).free = true;
  for (const NodeIndex node : task.gone) cluster.state_of(node).ok = false;
  return cluster;
}

// "; starting over would be better: cost 3600 in place of 7200 (2.00 ×)", or nothing.
std::string StartOver(const Task& task, int64_t cost) {
  if (task.anew_steps <= 0 || cost == 0) return "";
  const Decision anew = Place(*task.repair.request, WithoutGang(task), task.costs, {task.anew_steps});
  const auto* placed = std::get_if<Placed>(&anew);
  if (placed == nullptr) return "";
  const int64_t then = placed->placement.cost();
  if (static_cast<double>(cost) < kMarkedly * static_cast<double>(then)) return "";
  const std::string ratio =
      then > 0 ? absl::StrFormat(" (%.2f ×)", static_cast<double>(cost) / static_cast<double>(then)) : "";
  return absl::StrCat("; starting over would be better: cost ", then, " in place of ", cost, ratio);
}

Placed PlacedOf(const Task& task, Units units) {
  Placed placed;
  const std::set<NodeIndex> used(units.begin(), units.end());
  for (const NodeIndex spare : task.repair.spares) {
    if (used.count(spare) == 0 && task.gone.count(spare) == 0) placed.spares.push_back(spare);
  }
  placed.placement = Report(*task.repair.request, task.cluster, task.costs, units, placed.spares);
  placed.placement.set_alternatives(1);
  placed.placement.set_reason(absl::StrCat(PlacedReason(task, units), StartOver(task, placed.placement.cost())));
  placed.units = std::move(units);
  return placed;
}

// Nobody stays: a placement as any other, without the nodes that were lost.
Decision PlaceAnew(const Task& task) { return Place(*task.repair.request, WithoutGang(task), task.costs); }

}  // namespace

Decision Repair(const RepairRequest& repair, const Cluster& cluster, const HopCosts& costs, int64_t anew_steps) {
  const Topology& topology = *cluster.topology;
  Task task{repair, cluster, costs, anew_steps, {}, {}, {}, {}, {}};
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
  if (!task.question.likes.avoided.empty()) {
    if (Units units = Solve(task, Welcome(task, now), gave_up); !units.empty()) return PlacedOf(task, std::move(units));
  }
  if (Units units = Solve(task, now, gave_up); !units.empty()) return PlacedOf(task, std::move(units));

  const std::string needs =
      absl::StrCat("replacements for ", Nodes(static_cast<int64_t>(repair.vacated.size())), " are needed",
                   task.question.required_tier == kNoTier
                       ? ""
                       : absl::StrCat(" in the gang's own ", topology.tiers()[task.question.required_tier].name),
                   RuleNames(task.question.rules));
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
