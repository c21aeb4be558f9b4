#include "lib/placement/explain.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

v1::Explanation Why(const v1::JobSpec& spec, const Cluster& cluster, std::shared_ptr<const mesh::Mesh> mesh = nullptr) {
  const Request request = RequestOf("team-b/moe", spec, std::move(mesh)).value();
  return Explain(request, cluster, Place(request, cluster));
}

Cluster TwoRacks() {
  return ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 4)}, {{"b1", "r2"}, NodeNames("b", 4)}});
}

TEST(Explain, Ok_SaysCostAndCrossings) {
  const v1::Explanation why = Why(Job(8, 8), TwoRacks(), MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64));
  EXPECT_EQ(why.feasibility(), v1::OK);
  EXPECT_THAT(why.details(),
              Contains("cost 3,600 (optimal: equals the lower bound); ranks in name order would cost 9,504 "
                       "(2.64 ×)"));
  EXPECT_THAT(why.details(), Contains(HasSubstr("across racks 8 groups and 16 of 64 edges")));
  EXPECT_TRUE(why.has_placement());
}

TEST(Explain, NotNow_SaysWhoHoldsWhatAndTheWaysOut) {
  Cluster cluster = TwoRacks();
  cluster.state_of(*cluster.topology->Find("a2")).ok = false;
  cluster.state_of(*cluster.topology->Find("a2")).reason = "quarantined: NIC mlx5_3 slow";
  NodeState& held = cluster.state_of(*cluster.topology->Find("b1"));
  held.free = false;
  held.holder = "team-a/small";
  v1::JobSpec spec = Job(4, 8);
  spec.mutable_placement()->set_required("rack");
  const v1::Explanation why = Why(spec, cluster);
  EXPECT_EQ(why.feasibility(), v1::NOT_NOW);
  EXPECT_EQ(why.summary(), "4 nodes in one rack are required; the best rack, b1/r1, has 3 free and healthy");
  EXPECT_THAT(why.details(), Contains("rack b1/r1: 3 free, 1 unhealthy (a2 quarantined: NIC mlx5_3 slow)"));
  EXPECT_THAT(why.details(), Contains("rack b1/r2: 3 free, 1 held (team-a/small has 1)"));
  EXPECT_THAT(why.ways_out(), Contains("muster readmit node a2"));
  EXPECT_THAT(why.ways_out(), Contains("at once with placement.required: none"));
}

TEST(Explain, Never_SaysTheConstraint) {
  const v1::Explanation why = Why(Job(9, 8), TwoRacks());
  EXPECT_EQ(why.feasibility(), v1::NEVER);
  EXPECT_EQ(why.summary(), "9 nodes are needed; the cluster has 8 in all that fit");
  EXPECT_THAT(why.ways_out(), Contains("members: at most 8"));
}

}  // namespace
}  // namespace muster::placement
