#include "server/core/bound.h"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/placement/place.h"
#include "lib/placement/report.h"

namespace muster::core {
namespace {

// The place of the node where each member is, by pod index.
std::optional<std::vector<NodeIndex>> PlacesOf(const Job& job, const placement::Cluster& cluster, std::string* why) {
  std::vector<NodeIndex> places;
  for (const auto& [index, name] : job.gang.facts.bound) {
    const absl::optional<NodeIndex> place = cluster.topology->Find(name);
    if (!place) {
      *why = absl::StrCat("member ", index.value(), " is on node ", name, ", which has no agent here");
      return std::nullopt;
    }
    places.push_back(*place);
  }
  return places;
}

// One node a unit: as many consecutive ranks of it as the job puts on a node.
std::optional<std::vector<NodeIndex>> UnitsOf(const Job& job, const std::vector<NodeIndex>& places, std::string* why) {
  std::map<NodeIndex, int32_t> counts;
  for (NodeIndex place : places) ++counts[place];
  std::vector<NodeIndex> units;
  for (const auto& [place, count] : counts) {
    if (count != job.request->members_per_node) {
      *why =
          absl::StrCat(count, " members are on one node, but the job says ", job.request->members_per_node, " a node");
      return std::nullopt;
    }
    units.push_back(place);
  }
  return units;
}

}  // namespace

std::optional<gang::Event> PlaceBound(const Job& job, const placement::Cluster& cluster,
                                      const placement::HopCosts& costs, std::string* why) {
  const std::optional<std::vector<NodeIndex>> places = PlacesOf(job, cluster, why);
  if (!places || static_cast<int32_t>(places->size()) != job.gang.spec->members()) return std::nullopt;
  const int32_t per_node = job.request->members_per_node;
  const auto* repairing = std::get_if<gang::Repairing>(&job.gang.state);

  std::vector<NodeIndex> units;
  if (repairing != nullptr) {
    for (int32_t rank = 0; rank < repairing->placement->ranks_size(); rank += per_node) {
      const int32_t index = repairing->placement->ranks(rank).pod_index();
      if (index < 0 || index >= static_cast<int32_t>(places->size())) return std::nullopt;
      units.push_back((*places)[index]);
    }
  } else if (job.gang.spec->placement().rank_by() == v1::PlacementSpec::INDEX && per_node == 1) {
    units = *places;
  } else {
    const std::optional<std::vector<NodeIndex>> any = UnitsOf(job, *places, why);
    if (!any) return std::nullopt;
    units = placement::RankOver(*job.request, cluster, costs, *any);
  }

  if (std::set<NodeIndex>(units.begin(), units.end()).size() != units.size()) {
    *why = absl::StrCat("more members are on one node than the ", per_node, " a node that the job says");
    return std::nullopt;
  }

  auto placement = std::make_shared<v1::Placement>(placement::Report(*job.request, cluster, costs, units, {}));
  // Members of one node take its ranks in the order of their indexes.
  std::map<std::string, std::vector<int32_t>> members;
  for (const auto& [index, name] : job.gang.facts.bound) members[name].push_back(index.value());
  std::map<std::string, size_t> taken;
  for (v1::PlacedNode& rank : *placement->mutable_ranks()) {
    const std::vector<int32_t>& here = members[rank.node()];
    size_t& next = taken[rank.node()];
    if (next < here.size()) rank.set_pod_index(here[next++]);
  }
  if (repairing != nullptr) return gang::ReplacementFound{std::move(placement)};
  return gang::PlacementFound{std::move(placement)};
}

}  // namespace muster::core
