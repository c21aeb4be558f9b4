#include "lib/placement/crossings.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/placement/unit_groups.h"

namespace muster::placement {
namespace {

void CountGroups(const std::vector<UnitGroup>& groups, const Topology& topology, const Units& units,
                 v1::FamilyCrossings& crossings) {
  const int tiers = static_cast<int>(topology.tiers().size());
  int64_t in_node = 0;
  std::vector<NodeIndex> nodes;
  for (const UnitGroup& group : groups) {
    nodes.clear();
    for (const int32_t unit : group.units) nodes.push_back(units[unit]);
    const bool one_node = std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex node) { return node == nodes[0]; });
    if (one_node) in_node += group.count;
    for (int tier = 0; tier < tiers; ++tier) {
      v1::FamilyCrossings::Tier& at = *crossings.mutable_tiers(tier);
      const int64_t touched = one_node ? 1 : topology.CountTouched(nodes, tier);
      if (touched > 1) at.set_crossing_groups(at.crossing_groups() + group.count);
      at.set_widest_group(std::max(at.widest_group(), touched));
    }
  }
  crossings.set_groups_in_node(in_node);
}

v1::FamilyCrossings CrossingsOfItem(const mesh::Family& family, const ItemTraffic& item,
                                    const std::vector<UnitGroup>& groups, const Topology& topology,
                                    const Units& units) {
  v1::FamilyCrossings crossings;
  crossings.set_family(item.family);
  crossings.set_groups(family.count());
  crossings.set_group_size(family.max_size());
  crossings.set_edges(item.hops);
  for (const std::string& name : topology.tiers().Names()) crossings.add_tiers()->set_tier(name);
  CountGroups(groups, topology, units, crossings);
  const HopsByTier hops = CountHops(item.edges, item.cliques, topology, units);
  int64_t above = 0;  // hops that share no tier as fine as this one
  for (int tier = 0; tier < crossings.tiers_size(); ++tier) {
    above += hops.same_rail[tier] + hops.cross_rail[tier];
    crossings.mutable_tiers(tier)->set_crossing_edges(above);
  }
  return crossings;
}

}  // namespace

std::vector<v1::FamilyCrossings> CountCrossings(const Request& request, const Topology& topology, const HopCosts& costs,
                                                const Units& units) {
  if (request.mesh == nullptr) return {};
  std::vector<v1::FamilyCrossings> all;
  for (const ItemTraffic& item : request.traffic.items) {
    const mesh::Family& family = *request.mesh->Find(item.family);
    const auto groups = UnitGroupsOf(World{request.mesh->first_rank(), request.mesh->world()}, family, request.slots);
    if (!groups.ok()) continue;  // RequestOf has refused such a family
    all.push_back(CrossingsOfItem(family, item, *groups, topology, units));
    all.back().set_cost(item.weight * CostOf(item.edges, item.cliques, topology, costs, units));
  }
  return all;
}

absl::StatusOr<v1::FamilyCrossings> CrossingsOf(const Request& request, absl::string_view family,
                                                const Topology& topology, const Units& units) {
  const mesh::Family* found = request.mesh == nullptr ? nullptr : request.mesh->Find(family);
  if (found == nullptr) return absl::NotFoundError(absl::StrCat("the mesh has no family ", family));
  const auto groups = UnitGroupsOf(World{request.mesh->first_rank(), request.mesh->world()}, *found, request.slots);
  if (!groups.ok()) return groups.status();
  v1::TrafficItem ring;
  ring.set_family(std::string(family));
  const auto traffic = UnitTraffic::Of(*request.mesh, {ring}, request.slots);
  if (!traffic.ok()) return traffic.status();
  return CrossingsOfItem(*found, traffic->items[0], *groups, topology, units);
}

}  // namespace muster::placement
