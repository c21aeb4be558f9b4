#include "lib/placement/report.h"

#include <algorithm>

#include "lib/placement/crossings.h"
#include "lib/placement/digest.h"

namespace muster::placement {
namespace {

v1::PlacedNode PlacedNodeOf(const Cluster& cluster, NodeIndex index) {
  const TopologyNode& node = cluster.topology->node(index);
  v1::PlacedNode placed;
  placed.set_node(node.name);
  placed.set_node_uid(cluster.facts_of(index).uid.value());
  for (const std::string& label : node.path) placed.add_topology_path(label);
  placed.set_pod_index(-1);
  placed.set_address(cluster.facts_of(index).address);
  return placed;
}

}  // namespace

v1::Placement Report(const Request& request, const Cluster& cluster, const HopCosts& costs, const Units& units,
                     const std::vector<NodeIndex>& spares) {
  v1::Placement placement;
  std::vector<NodeUid> node_of_rank;
  for (int32_t rank = 0; rank < request.spec.members(); ++rank) {
    const NodeIndex node = units[rank / request.members_per_node];
    *placement.add_ranks() = PlacedNodeOf(cluster, node);
    node_of_rank.push_back(cluster.facts_of(node).uid);
  }
  std::vector<NodeIndex> ordered = spares;
  std::sort(ordered.begin(), ordered.end());
  for (const NodeIndex spare : ordered) *placement.add_spares() = PlacedNodeOf(cluster, spare);
  for (v1::FamilyCrossings& family : CountCrossings(request, *cluster.topology, costs, units)) {
    *placement.add_crossings() = std::move(family);
  }
  placement.set_cost(CostOf(request.traffic, *cluster.topology, costs, units));
  Units by_name = units;
  std::sort(by_name.begin(), by_name.end());
  placement.set_name_order_cost(CostOf(request.traffic, *cluster.topology, costs, by_name));
  placement.set_digest(Digest(request.spec, node_of_rank));
  for (const std::string& tier : cluster.topology->tiers().Names()) placement.add_tiers(tier);
  return placement;
}

}  // namespace muster::placement
