#include "client/cli/placement_view.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/format.h"
#include "client/cli/table.h"

namespace muster::cli {
namespace {

constexpr int kShownRanks = 64;
// Coordinates cost a look at every worker of a node.
constexpr int64_t kMostLooks = 1 << 20;

std::string PathText(const v1::PlacedNode& node) {
  return absl::StrJoin(node.topology_path(), "/",
                       [](std::string* out, const std::string& d) { absl::StrAppend(out, d.empty() ? "-" : d); });
}

// An axis of one of the grids, and the coordinates that each shown member's workers have on it.
struct AxisColumn {
  std::string name;
  std::vector<std::string> cells;
};

// Axes on which not all nodes have the same coordinates; expert axes that the dense grid lacks come last.
std::vector<AxisColumn> VaryingAxes(const PlacementView& view, int rows) {
  std::vector<AxisColumn> columns;
  if (view.mesh == nullptr || int64_t{rows} * view.workers_per_member > kMostLooks) return columns;
  std::set<std::string> seen;
  for (const mesh::Grid* grid : {&view.mesh->dense(), view.mesh->expert()}) {
    if (grid == nullptr) continue;
    for (size_t a = 0; a < grid->axes().size(); ++a) {
      AxisColumn column{grid->axes()[a].name, {}};
      if (grid->size(a) == 1 || !seen.insert(column.name).second) continue;
      for (int rank = 0; rank < rows; ++rank) {
        std::set<int64_t> at;
        for (int32_t w = 0; w < view.workers_per_member; ++w) {
          const mesh::GlobalRank global = int64_t{rank} * view.workers_per_member + w;
          if (grid->Contains(global)) at.insert(grid->Coordinate(global, a));
        }
        column.cells.push_back(RangesText({at.begin(), at.end()}, 4));
      }
      if (std::set<std::string>(column.cells.begin(), column.cells.end()).size() > 1) columns.push_back(column);
    }
  }
  return columns;
}

std::string MemberWord(const v1::MemberStatus& member) {
  if (member.exited()) return absl::StrCat("exit ", member.exit_code());
  return member.present() ? "here" : "missing";
}

std::string TierWord(const v1::Placement& placement) {
  return placement.tiers().empty() ? "" : absl::AsciiStrToUpper(absl::StrJoin(placement.tiers(), "/"));
}

std::string Plural(const std::string& tier) { return absl::StrCat(tier, "S"); }

}  // namespace

void PrintPlacement(Screen& out, const PlacementView& view) {
  const v1::Placement& placement = view.placement;
  const int rows = view.wide ? placement.ranks_size() : std::min(placement.ranks_size(), kShownRanks);
  const std::vector<AxisColumn> axes = VaryingAxes(view, rows);
  std::map<int32_t, const v1::MemberStatus*> members;
  if (view.members != nullptr) {
    for (const v1::MemberStatus& member : *view.members) members[member.node_rank()] = &member;
  }

  std::vector<Column> columns = {{"NODE RANK", true}, {"POD", true}, {"NODE"}, {TierWord(placement)}, {"GLOBAL RANKS"}};
  for (const AxisColumn& axis : axes) columns.push_back({absl::AsciiStrToUpper(axis.name), true});
  columns.push_back({"MEMBER"});
  if (view.wide) columns.insert(columns.end(), {{"ADDRESS"}, {"NODE UID"}});

  Table table(std::move(columns));
  for (int rank = 0; rank < rows; ++rank) {
    const v1::PlacedNode& node = placement.ranks(rank);
    const int64_t first = int64_t{rank} * view.workers_per_member;
    const bool bound = node.has_pod_index() && node.pod_index() >= 0;
    std::vector<Span> cells = {absl::StrCat(rank), bound ? absl::StrCat(node.pod_index()) : "", node.node(),
                               PathText(node), Interval(first, first + view.workers_per_member - 1)};
    for (const AxisColumn& axis : axes) cells.emplace_back(axis.cells[rank]);
    const auto member = members.find(rank);
    cells.emplace_back(member == members.end() ? "" : MemberWord(*member->second),
                       member != members.end() && member->second->present() ? Style::kGood : Style::kPlain);
    if (view.wide) cells.insert(cells.end(), {node.address(), node.node_uid()});
    table.Row(std::move(cells));
  }
  table.Print(out);
  if (rows < placement.ranks_size()) {
    out.Line(
        absl::StrCat("… and ", Thousands(placement.ranks_size() - rows), " more node ranks (all of them: -o wide)"));
  }
  if (placement.spares_size() > 0) {
    std::vector<std::string> spares;
    for (const v1::PlacedNode& spare : placement.spares())
      spares.push_back(absl::StrCat(spare.node(), " ", PathText(spare)));
    const size_t shown = view.wide ? spares.size() : std::min<size_t>(spares.size(), 8);
    out.Line(absl::StrCat(spares.size() == 1 ? "spare: " : "spares: ",
                          absl::StrJoin(spares.begin(), spares.begin() + static_cast<ptrdiff_t>(shown), ", "),
                          shown < spares.size() ? absl::StrCat(" and ", spares.size() - shown, " more") : ""));
  }
}

void PrintCrossings(Screen& out, const v1::Placement& placement) {
  if (placement.crossings().empty()) return;
  const int tiers = placement.tiers_size();
  // The coarsest tier that any group crosses; where none is crossed, the finest.
  int coarsest = tiers - 1;
  for (const v1::FamilyCrossings& family : placement.crossings()) {
    for (int t = 0; t < std::min(tiers, family.tiers_size()); ++t) {
      if (family.tiers(t).crossing_groups() > 0) coarsest = std::min(coarsest, t);
    }
  }
  const auto tier_name = [&](int t) { return absl::AsciiStrToUpper(placement.tiers(t)); };

  std::vector<Column> columns = {{"FAMILY"}, {"GROUPS", true}, {"IN NODE", true}};
  for (int t = tiers - 1; t >= coarsest && t >= 0; --t) columns.push_back({absl::StrCat("IN ", tier_name(t)), true});
  columns.push_back({tiers == 0 ? "ACROSS NODES" : absl::StrCat("ACROSS ", Plural(tier_name(coarsest))), true});
  for (int t = tiers - 1; t >= coarsest && t >= 0; --t) {
    columns.push_back({absl::StrCat(t == tiers - 1 ? " " : "", "EDGES ACROSS ", Plural(tier_name(t))), true});
  }
  Table table(std::move(columns));
  for (const v1::FamilyCrossings& family : placement.crossings()) {
    std::vector<Span> cells = {family.family(), absl::StrCat(family.groups(), " × ", family.group_size()),
                               Thousands(family.groups_in_node())};
    // Groups that are wholly within the domain looked at before.
    int64_t inside = family.groups_in_node();
    for (int t = tiers - 1; t >= coarsest && t >= 0; --t) {
      const int64_t within = t < family.tiers_size() ? family.groups() - family.tiers(t).crossing_groups() : inside;
      cells.emplace_back(Thousands(std::max<int64_t>(0, within - inside)));
      inside = std::max(inside, within);
    }
    cells.emplace_back(Thousands(family.groups() - inside));
    for (int t = tiers - 1; t >= coarsest && t >= 0; --t) {
      const int64_t crossing = t < family.tiers_size() ? family.tiers(t).crossing_edges() : 0;
      cells.emplace_back(absl::StrCat(Thousands(crossing), " of ", Thousands(family.edges())));
    }
    table.Row(std::move(cells));
  }
  table.Print(out);
}

std::string CostText(const v1::Placement& placement) {
  if (placement.crossings().empty()) return "";
  std::string out = absl::StrCat("cost ", Thousands(placement.cost()));
  if (placement.bound_known()) {
    if (placement.cost() == placement.lower_bound()) {
      absl::StrAppend(&out, " (optimal: equals the lower bound)");
    } else if (placement.lower_bound() > 0) {
      absl::StrAppend(&out,
                      absl::StrFormat(" (at most %.1f %% above the least possible; lower bound ",
                                      100.0 * static_cast<double>(placement.cost() - placement.lower_bound()) /
                                          static_cast<double>(placement.lower_bound())),
                      Thousands(placement.lower_bound()), ")");
    } else {
      absl::StrAppend(&out, " (lower bound 0)");
    }
  }
  if (placement.name_order_cost() > 0) {
    const std::string ratio = placement.cost() > 0 && placement.cost() != placement.name_order_cost()
                                  ? absl::StrCat(" (",
                                                 RatioText(static_cast<double>(placement.cost()),
                                                           static_cast<double>(placement.name_order_cost())),
                                                 ")")
                                  : "";
    if (placement.cost() == placement.name_order_cost()) {
      absl::StrAppend(&out, " · ranks in name order would cost the same");
    } else {
      absl::StrAppend(&out, " · ranks in name order would cost ", Thousands(placement.name_order_cost()), ratio);
    }
  }
  return out;
}

}  // namespace muster::cli
