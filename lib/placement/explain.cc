#include "lib/placement/explain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/errors.h"
#include "lib/placement/eligible.h"
#include "lib/placement/first_chance.h"
#include "lib/placement/gains.h"
#include "lib/placement/place.h"

namespace muster::placement {
namespace {

// "3,600".
std::string Grouped(int64_t number) {
  std::string digits = absl::StrCat(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) digits.insert(at, ",");
  return digits;
}

// "cost 3,600 (optimal: equals the lower bound); ranks in name order would cost 9,504 (2.64 ×)".
std::string CostLine(const v1::Placement& placement) {
  std::string line = absl::StrCat("cost ", Grouped(placement.cost()));
  if (placement.bound_known() && placement.cost() == placement.lower_bound()) {
    absl::StrAppend(&line, " (optimal: equals the lower bound)");
  } else if (placement.bound_known() && placement.lower_bound() > 0) {
    absl::StrAppendFormat(&line, " (lower bound %s: at most %.2f × the optimum)", Grouped(placement.lower_bound()),
                          static_cast<double>(placement.cost()) / static_cast<double>(placement.lower_bound()));
  }
  absl::StrAppend(&line, "; ranks in name order would cost ", Grouped(placement.name_order_cost()));
  if (placement.cost() > 0) {
    absl::StrAppendFormat(&line, " (%.2f ×)",
                          static_cast<double>(placement.name_order_cost()) / static_cast<double>(placement.cost()));
  }
  return line;
}

// "dp_cp: 0 of 8 groups in a node; across racks 8 groups and 16 of 64 edges".
std::string FamilyLine(const v1::FamilyCrossings& family) {
  std::string line =
      absl::StrCat(family.family(), ": ", family.groups_in_node(), " of ", family.groups(), " groups in a node");
  for (const v1::FamilyCrossings::Tier& tier : family.tiers()) {
    absl::StrAppend(&line, "; across ", tier.tier(), "s ", tier.crossing_groups(), " groups and ",
                    tier.crossing_edges(), " of ", family.edges(), " edges");
  }
  return line;
}

void AddDetails(const Placed& placed, v1::Explanation& explanation) {
  explanation.set_feasibility(v1::OK);
  *explanation.mutable_placement() = placed.placement;
  if (placed.placement.crossings_size() > 0) explanation.add_details(CostLine(placed.placement));
  for (const v1::FamilyCrossings& family : placed.placement.crossings()) explanation.add_details(FamilyLine(family));
}

void AddDetails(const NotNow& not_now, v1::Explanation& explanation) {
  explanation.set_feasibility(v1::NOT_NOW);
  for (const Shortfall& shortfall : not_now.shortfalls) {
    std::string line = absl::StrCat(shortfall.domain, ": ", shortfall.free, " free");
    for (const std::string& note : shortfall.notes) absl::StrAppend(&line, ", ", note);
    explanation.add_details(std::move(line));
  }
}

void AddDetails(const Never& never, v1::Explanation& explanation) {
  explanation.set_feasibility(v1::NEVER);
  for (const std::string& way : never.ways_out) explanation.add_ways_out(way);
}

// How much more than `base` a placement costs, in words.
std::string More(int64_t cost, int64_t base) {
  if (base <= 0) return "";
  return absl::StrFormat(" (cost +%.0f %%)", 100.0 * static_cast<double>(cost - base) / static_cast<double>(base));
}

// A copy in which every node is free and ok.
Cluster Emptied(Cluster cluster) {
  for (NodeState& state : cluster.states) state.free = state.ok = true;
  return cluster;
}

// Readmitting all ailing nodes would do.
void AddReadmit(const Request& request, const Cluster& cluster, v1::Explanation& explanation) {
  const std::vector<bool> eligible = EligibleNodes(request, cluster);
  Cluster healed = cluster;
  std::vector<std::string> ailing;
  for (int32_t i = 0; i < cluster.topology->size(); ++i) {
    NodeState& state = healed.states[i];
    if (state.ok || !state.free || !eligible[i]) continue;
    state.ok = true;
    ailing.push_back(cluster.topology->node(NodeIndex(i)).name);
  }
  if (ailing.empty() || CanPlace(request, healed) != v1::OK) return;
  explanation.add_ways_out(absl::StrCat("muster readmit node ", FewNames(ailing)));
}

// Asking for less would do.
void AddRelaxed(const Request& request, const Cluster& cluster, v1::Explanation& explanation) {
  const v1::PlacementSpec& wanted = request.spec.placement();
  Request relaxed = request;
  const auto at_once = [&](const std::string& change) {
    if (CanPlace(relaxed, cluster) != v1::OK) return;
    const Decision placed = Place(relaxed, cluster);
    const Decision ideal = Place(request, Emptied(cluster));
    const auto* now = std::get_if<Placed>(&placed);
    const auto* best = std::get_if<Placed>(&ideal);
    if (now == nullptr) return;
    explanation.add_ways_out(absl::StrCat("at once with ", change,
                                          best == nullptr ? "" : More(now->placement.cost(), best->placement.cost())));
  };
  if (!wanted.required().empty()) {
    relaxed.spec.mutable_placement()->clear_required();
    at_once("placement.required: none");
    relaxed = request;
  }
  if (wanted.slices_size() > 0) {
    relaxed.spec.mutable_placement()->clear_slices();
    at_once("placement.slices: none");
    relaxed = request;
  }
  if (wanted.per_domain_size() > 0) {
    relaxed.spec.mutable_placement()->clear_per_domain();
    at_once("placement.perDomain: none");
    relaxed = request;
  }
  if (wanted.has_apart()) {
    relaxed.spec.mutable_placement()->clear_apart();
    at_once("placement.apart: none");
    relaxed = request;
  }
  if (wanted.spares() > 0) {
    relaxed.spec.mutable_placement()->clear_spares();
    at_once("placement.spares: 0");
  }
}

}  // namespace

v1::Explanation Explain(const Request& request, const Cluster& cluster, const Decision& decision,
                        const Outlook* outlook) {
  v1::Explanation explanation;
  explanation.set_summary(ReasonOf(decision));
  std::visit([&](const auto& answer) { AddDetails(answer, explanation); }, decision);
  if (const auto* placed = std::get_if<Placed>(&decision)) {
    for (v1::Explanation::Gain& gain : GainsOf(request, cluster, HopCosts::Of(cluster.topology->tiers()), *placed)) {
      *explanation.add_gains() = std::move(gain);
    }
  }
  if (std::holds_alternative<NotNow>(decision)) {
    if (outlook != nullptr) explanation.add_details(FirstChance(request, cluster, *outlook));
    AddReadmit(request, cluster, explanation);
    AddRelaxed(request, cluster, explanation);
  }
  return explanation;
}

}  // namespace muster::placement
