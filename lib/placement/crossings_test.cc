#include "lib/placement/crossings.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

// Nodes n1.. in racks of `per_rack`, ranks by index.
Cluster Racks(int racks, int per_rack) {
  std::vector<NodeGroup> groups;
  for (int rack = 0; rack < racks; ++rack) {
    NodeGroup group{{"r" + std::to_string(rack + 1)}, {}};
    for (int i = 1; i <= per_rack; ++i) group.names.push_back("n" + std::to_string(rack * per_rack + i));
    groups.push_back(group);
  }
  return ClusterOf({"rack"}, groups);
}

Units ByIndex(const Cluster& cluster) {
  Units units;
  for (int32_t i = 0; i < cluster.topology->size(); ++i) units.push_back(NodeIndex(i));
  return units;
}

v1::FamilyCrossings Of(const Request& request, const Cluster& cluster, const std::string& family) {
  return CrossingsOf(request, family, *cluster.topology, ByIndex(cluster)).value();
}

TEST(Crossings, SeedOf64_TpHalfANodeDpFourNodesOnOneRail) {
  const Cluster cluster = Racks(2, 4);
  const Request request = RequestOf("d/j", Job(8, 8), MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64)).value();
  EXPECT_EQ(Of(request, cluster, "tp").groups_in_node(), 16);
  EXPECT_EQ(Of(request, cluster, "tp_cp").groups_in_node(), 8);
  const v1::FamilyCrossings dp = Of(request, cluster, "dp");
  EXPECT_EQ(dp.groups_in_node(), 0);
  EXPECT_EQ(dp.tiers(0).crossing_groups(), 0);                // the four nodes of a stage are one rack here
  const v1::FamilyCrossings pp = Of(request, cluster, "pp");  // nodes n and n+4
  EXPECT_EQ(pp.tiers(0).crossing_groups(), 32);
  EXPECT_EQ(pp.tiers(0).widest_group(), 2);
  EXPECT_EQ(Of(request, cluster, "dp_cp").groups(), 8);
}

TEST(Crossings, SeedOf256WithExperts_TokensCrossEightNodes) {
  const Cluster cluster = Racks(32, 1);
  const Request request =
      RequestOf("d/j", Job(32, 8), MegatronMesh({.tp = 4, .cp = 2, .pp = 4, .ep = 64, .etp = 1}, 256)).value();
  const v1::FamilyCrossings ep = Of(request, cluster, "ep");
  EXPECT_EQ(ep.group_size(), 64);
  EXPECT_EQ(ep.groups(), 4);
  EXPECT_EQ(ep.tiers(0).widest_group(), 8);
  EXPECT_EQ(ep.tiers(0).crossing_groups(), 4);
  EXPECT_EQ(Of(request, cluster, "ep_dp").group_size(), 1);
  EXPECT_EQ(Of(request, cluster, "dp_cp").group_size(), 16);
}

TEST(Crossings, SeedOf256OnRails_TpInNodeDpOneStagePpEveryEighth) {
  const Cluster cluster = Racks(4, 8);  // a rack a stage
  const Request request = RequestOf("d/j", Job(32, 8), MegatronMesh({.tp = 8, .pp = 4}, 256)).value();
  EXPECT_EQ(Of(request, cluster, "tp").groups_in_node(), 32);
  const v1::FamilyCrossings dp = Of(request, cluster, "dp");
  EXPECT_EQ(dp.group_size(), 8);
  EXPECT_EQ(dp.tiers(0).crossing_groups(), 0);
  const v1::FamilyCrossings pp = Of(request, cluster, "pp");
  EXPECT_EQ(pp.tiers(0).crossing_groups(), 64);
  EXPECT_EQ(pp.tiers(0).widest_group(), 4);
  // Every hop between equal places of two nodes: one rail.
  for (const ItemTraffic& item : request.traffic.items) {
    for (const UnitEdge& edge : item.edges) EXPECT_EQ(edge.cross_rail, 0) << item.family;
  }
}

TEST(Crossings, UnknownDomain_CountsAsOneOfItsOwn) {
  const Cluster cluster = ClusterOf({"rack"}, {{{"r1"}, {"a", "b"}}, {{""}, {"c", "d"}}});
  const Request request = RequestOf("d/j", Job(4, 1), TorchMesh({{"dp", 4}})).value();
  const auto crossings = CountCrossings(request, *cluster.topology, HopCosts::Default(1), ByIndex(cluster));
  ASSERT_EQ(crossings.size(), 1u);
  EXPECT_EQ(crossings[0].tiers(0).widest_group(), 3);
  EXPECT_EQ(crossings[0].tiers(0).crossing_edges(), 3);
  EXPECT_EQ(crossings[0].edges(), 4);
}

}  // namespace
}  // namespace muster::placement
