#include "lib/placement/repair.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/placement/descent.h"
#include "lib/placement/feasible.h"
#include "lib/placement/place.h"
#include "lib/placement/report.h"
#include "lib/placement/site.h"
#include "lib/placement/spares.h"

namespace muster::placement {
namespace {

// Looks at edges while choosing, and while improving.
constexpr int64_t kChooseSteps = 20'000'000;
constexpr int64_t kDescentSteps = 4'000'000;
constexpr int32_t kVacant = -1;
constexpr size_t kMaxTied = 64;

std::string Nodes(int64_t count) { return absl::StrCat(count, count == 1 ? " node" : " nodes"); }

// Fills the vacant units of a layout, cheapest slot first, and goes back where a slice or the room runs out.
class Filler {
 public:
  Filler(const Site& site, const Request& request, const Cluster& cluster, const std::vector<bool>& pinned,
         const std::set<NodeIndex>& spares, Layout layout)
      : site_(site), cluster_(cluster), layout_(std::move(layout)), neighbours_(layout_.size()) {
    for (size_t slot = 0; slot < site.slots().size(); ++slot) {
      int64_t free = 0;
      int64_t spare = 0;
      for (const NodeIndex node : site.slots()[slot].nodes) {
        if (pinned[node.value()]) continue;
        ++free;
        spare += spares.count(node) > 0 ? 1 : 0;
      }
      free_.push_back(free);
      spare_.push_back(spare);
    }
    for (const UnitEdge& edge : request.traffic.edges) {
      neighbours_[edge.a].push_back(edge);
      neighbours_[edge.b].push_back(edge);
    }
  }

  bool Fill(const std::vector<int32_t>& vacant, size_t at = 0) {
    if (at == vacant.size()) return true;
    for (const int32_t slot : SlotsFor(vacant[at])) {
      if (steps_ <= 0) return false;
      layout_[vacant[at]] = slot;
      --free_[slot];
      const bool from_spares = spare_[slot] > 0;
      spare_[slot] -= from_spares ? 1 : 0;
      if (SlicesCanHold(vacant[at]) && Fill(vacant, at + 1)) return true;
      spare_[slot] += from_spares ? 1 : 0;
      ++free_[slot];
      layout_[vacant[at]] = kVacant;
    }
    return false;
  }

  const Layout& layout() const { return layout_; }
  bool gave_up() const { return steps_ <= 0; }

 private:
  // Slots with a free node, best first: cost to the units that have a node, a spare there, what stays whole, name.
  std::vector<int32_t> SlotsFor(int32_t unit) {
    using Key = std::tuple<int64_t, int, int64_t, NodeIndex, int32_t>;
    std::vector<Key> keys;
    for (size_t slot = 0; slot < free_.size(); ++slot) {
      if (free_[slot] <= 0) continue;
      int64_t cost = 0;
      for (const UnitEdge& edge : neighbours_[unit]) {
        --steps_;
        const int32_t other = layout_[edge.a == unit ? edge.b : edge.a];
        const auto here = static_cast<int32_t>(slot);
        if (other != kVacant)
          cost += edge.same_rail * site_.Same(here, other) + edge.cross_rail * site_.Cross(here, other);
      }
      keys.emplace_back(cost, spare_[slot] > 0 ? 0 : 1, 0, site_.slots()[slot].nodes[0], static_cast<int32_t>(slot));
    }
    std::sort(keys.begin(), keys.end());
    const auto tied = [&](const Key& key) {
      return std::get<0>(key) == std::get<0>(keys[0]) && std::get<1>(key) == std::get<1>(keys[0]);
    };
    for (size_t i = 0; i < std::min(keys.size(), kMaxTied) && tied(keys[i]); ++i) {
      std::get<2>(keys[i]) = BrokenBy(std::get<4>(keys[i]));
    }
    std::sort(keys.begin(), keys.end());
    std::vector<int32_t> slots;
    for (const Key& key : keys) slots.push_back(std::get<4>(key));
    return slots;
  }

  // Domains that are broken once a node of this slot is taken.
  int64_t BrokenBy(int32_t slot) {
    std::vector<bool> available(cluster_.states.size());
    for (size_t i = 0; i < available.size(); ++i) {
      available[i] = cluster_.Available(NodeIndex(static_cast<int32_t>(i)));
    }
    for (const NodeIndex node : site_.slots()[slot].nodes) {
      if (available[node.value()]) return Fragmentation(site_.topology(), available, {node}, {});
    }
    return Fragmentation(site_.topology(), available, {}, {});
  }

  // Slices around the unit: those placed share the domain, and it has room for those still vacant.
  bool SlicesCanHold(int32_t unit) const {
    for (const SliceRule& rule : site_.rules()) {
      const int32_t begin = unit - unit % rule.units;
      int64_t vacant = 0;
      for (int32_t i = begin; i < begin + rule.units; ++i) {
        if (layout_[i] == kVacant) {
          ++vacant;
        } else if (!site_.Shares(layout_[i], layout_[unit], rule.tier)) {
          return false;
        }
      }
      int64_t room = 0;
      for (size_t slot = 0; vacant > 0 && slot < free_.size(); ++slot) {
        if (site_.Shares(static_cast<int32_t>(slot), layout_[unit], rule.tier)) room += free_[slot];
      }
      if (room < vacant) return false;
    }
    return true;
  }

  const Site& site_;
  const Cluster& cluster_;
  Layout layout_;
  std::vector<std::vector<UnitEdge>> neighbours_;
  std::vector<int64_t> free_;
  std::vector<int64_t> spare_;
  int64_t steps_ = kChooseSteps;
};

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
  // Which domains are broken is weighed while filling, not while improving.
  const std::vector<bool> none_idle(nodes.size());
  const Site site(*task.cluster.topology, task.costs, rules, Topology::root(), nodes, none_idle);
  std::vector<int32_t> slot_of(nodes.size(), kVacant);
  for (size_t slot = 0; slot < site.slots().size(); ++slot) {
    for (const NodeIndex node : site.slots()[slot].nodes) slot_of[node.value()] = static_cast<int32_t>(slot);
  }
  Layout layout(task.vacant.size(), kVacant);
  std::vector<bool> fixed(task.vacant.size());
  for (size_t unit = 0; unit < layout.size(); ++unit) {
    if (task.vacant[unit]) continue;
    layout[unit] = slot_of[task.repair.units[unit].value()];
    fixed[unit] = true;
  }
  Filler filler(site, request, task.cluster, task.pinned, task.spares, layout);
  if (!filler.Fill(task.repair.vacated)) {
    gave_up = filler.gave_up();
    return {};
  }
  layout = filler.layout();
  if (request.traffic.cliques.empty()) {
    int64_t steps = kDescentSteps;
    const UnitGraph graph(request.traffic, request.units);
    const Wishes wishes;
    State state(site, graph, wishes, layout, {});
    Descend(site, graph, fixed, steps, state);
    layout = state.layout();
  }
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
