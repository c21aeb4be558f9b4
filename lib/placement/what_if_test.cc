#include "lib/placement/what_if.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::HasSubstr;

Cluster Two() {
  Cluster cluster = ClusterOf({"block", "rack"},
                              {{{"b1", "r1"}, {"n1", "n2", "n3"}}, {{"b1", "r2"}, {"n4"}, 4}, {{"b1", "r2"}, {"n5"}}});
  cluster.states[1].free = false;
  cluster.states[1].holder = "team/small";
  cluster.states[2].ok = false;
  cluster.states[2].reason = "quarantined: slow";
  return cluster;
}

NodeState& At(Cluster& cluster, const std::string& name) { return cluster.state_of(*cluster.topology->Find(name)); }

TEST(WhatIf, ChangesStates) {
  Cluster cluster = Two();
  ASSERT_TRUE(ApplyWhatIf("drain=n[1-2],n5", cluster).ok());
  EXPECT_FALSE(At(cluster, "n1").ok);
  EXPECT_FALSE(At(cluster, "n2").ok);
  EXPECT_EQ(At(cluster, "n5").reason, "draining: what if");
  ASSERT_TRUE(ApplyWhatIf("readmit=n3", cluster).ok());
  EXPECT_TRUE(At(cluster, "n3").ok);
  EXPECT_EQ(At(cluster, "n3").reason, "");
  ASSERT_TRUE(ApplyWhatIf("end=team/small", cluster).ok());
  EXPECT_TRUE(At(cluster, "n2").free);
}

TEST(WhatIf, AddedNodes_AreLikeMostAndInTheirDomain) {
  Cluster cluster = Two();
  ASSERT_TRUE(ApplyWhatIf("add=n[0-1]x,m@b2/-", cluster).ok());
  ASSERT_EQ(cluster.topology->size(), 8);
  EXPECT_EQ(cluster.states.size(), 8u);
  EXPECT_EQ(cluster.facts->size(), 8u);
  const NodeIndex added = *cluster.topology->Find("n0x");
  EXPECT_EQ(PathText(cluster.topology->node(added).path), "b2/-");
  EXPECT_EQ(cluster.facts_of(added).slots, 8);
  EXPECT_TRUE(cluster.Available(added));
  // The others are who they were.
  EXPECT_EQ(At(cluster, "n2").holder, "team/small");
  EXPECT_EQ(cluster.facts_of(*cluster.topology->Find("n4")).slots, 4);
}

TEST(WhatIf, Nonsense_IsRefused) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "\"\" is unknown; use drain=NODES"},
      {"drian=n1", "did you mean drain=…?"},
      {"drain=", "drain of what?"},
      {"drain=n9", "there is no node n9"},
      {"drain=n[1-", "has no partner"},
      {"end=team/big", "no node is held by team/big; jobs that hold nodes: team/small"},
      {"add=n1@b1/r1", "node n1 is there"},
      {"add=x@b1", "the domain has 1 parts for 2 tiers; write add=NODES@block/rack"},
      {"add=x[1-1001]@b/r", "more than 1000"},
      {"add=x@b/" + std::string(300, 'r'), "the value has 300 characters"},
  };
  for (const auto& [change, says] : rows) {
    Cluster cluster = Two();
    const absl::Status status = ApplyWhatIf(change, cluster);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << change;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
}

}  // namespace
}  // namespace muster::placement
