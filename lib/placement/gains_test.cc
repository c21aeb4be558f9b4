#include "lib/placement/gains.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

std::vector<v1::Explanation::Gain> GainsOn(const Cluster& cluster, int32_t members) {
  const Request request = RequestOf("d/j", Job(members, 8), MegatronMesh({.tp = 8}, int64_t{members} * 8)).value();
  const Decision decision = Place(request, cluster);
  return GainsOf(request, cluster, HopCosts::Default(2), std::get<Placed>(decision));
}

TEST(Gains, OneMoreNode_LetsTheGangStayInOneRack) {
  const auto gains = GainsOn(ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 4), 8, {"a4"}},
                                                           {{"b1", "r2"}, NodeNames("b", 4), 8, {"b2", "b3", "b4"}}}),
                             4);
  ASSERT_FALSE(gains.empty());
  EXPECT_EQ(gains[0].change(), "1 more free node in rack b1/r1");
  // A ring of four nodes with eight rails and 17 a hop within a rack.
  EXPECT_EQ(gains[0].cost(), 4 * 8 * 17);
  ASSERT_GE(gains.size(), 2u);
  EXPECT_EQ(gains[1].change(), "rack b1/r2 whole, 3 more nodes");
  EXPECT_EQ(gains[1].cost(), gains[0].cost());
}

TEST(Gains, NothingBetterIsThinkable_NothingIsTold) {
  EXPECT_TRUE(GainsOn(ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 6), 8, {"a6"}}}), 4).empty());
}

TEST(Gains, NodesTooSmall_DoNotHelp) {
  EXPECT_TRUE(GainsOn(ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 3)},
                                                    {{"b1", "r1"}, {"small"}, 4, {"small"}},
                                                    {{"b1", "r2"}, NodeNames("b", 1)}}),
                      4)
                  .empty());
}

}  // namespace
}  // namespace muster::placement
