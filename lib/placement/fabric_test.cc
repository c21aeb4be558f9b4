// What the rails of a network mean for a placement.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::HasSubstr;

Cluster TwoRacks(Fabric fabric) {
  Tiers tiers = Tiers::FromLabels({"block", "rack"}).value();
  tiers.set_fabric(fabric);
  std::vector<v1::Node> nodes;
  for (int i = 0; i < 8; ++i) {
    v1::Node node;
    node.mutable_info()->set_name("n" + std::to_string(i));
    (*node.mutable_info()->mutable_capacity())["gpu"] = 8;
    (*node.mutable_info()->mutable_labels())["block"] = "b1";
    (*node.mutable_info()->mutable_labels())["rack"] = i < 4 ? "r1" : "r2";
    nodes.push_back(node);
  }
  return MakeCluster(tiers, nodes).value();
}

Request WithTensor(int64_t tp) { return RequestOf("d/j", Job(8, 8), MegatronMesh({.tp = tp}, 64)).value(); }

TEST(Fabric, RailOptimised_OtherRailsGoOneTierUp) {
  const HopCosts costs = HopCosts::Of(TwoRacks(Fabric::kRailOptimised).topology->tiers());
  EXPECT_EQ(costs.same_rail, (std::vector<int64_t>{16, 4, 1}));
  EXPECT_EQ(costs.cross_rail, (std::vector<int64_t>{16, 16, 4}));
  EXPECT_TRUE(HopCosts::Of(TwoRacks(Fabric::kAnyRail).topology->tiers()).cross_rail.empty());
}

TEST(Fabric, RailOnly_TrafficOnItsRailIsPlaced) {
  const Decision decision = Place(WithTensor(8), TwoRacks(Fabric::kRailOnly));
  EXPECT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
}

TEST(Fabric, RailOnly_AxisThatLeavesItsRailIsNever) {
  // Sixteen tensor ranks on two nodes: both ways over the border between them end on another rail.
  const Decision decision = Place(WithTensor(16), TwoRacks(Fabric::kRailOnly));
  ASSERT_TRUE(std::holds_alternative<Never>(decision)) << ReasonOf(decision);
  EXPECT_THAT(ReasonOf(decision), HasSubstr("tp: 8 of its 64 hops go to another rail of another node"));
  EXPECT_TRUE(std::get<Never>(decision).whatever_comes);
  EXPECT_EQ(CanPlace(WithTensor(16), TwoRacks(Fabric::kRailOnly)), v1::NEVER);
  EXPECT_EQ(CanPlace(WithTensor(16), TwoRacks(Fabric::kRailOptimised)), v1::OK);
}

}  // namespace
}  // namespace muster::placement
