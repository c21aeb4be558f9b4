#include "lib/placement/repair.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::HasSubstr;

class RepairTest : public ::testing::Test {
 protected:
  RepairTest()
      : cluster_(ClusterOf(
            {"block", "rack"},
            {{{"b1", "r1"}, NodeNames("a", 4)}, {{"b1", "r2"}, NodeNames("b", 4)}, {{"b2", "r1"}, NodeNames("c", 4)}})),
        request_(RequestOf("d/j", Job(4, 8), MegatronMesh({.tp = 8}, 32)).value()) {}

  NodeIndex Node(const std::string& name) const { return *cluster_.topology->Find(name); }
  // Ranks on a1, a2, b1, b2; all held.
  RepairRequest Lost(const std::vector<int32_t>& vacated, const std::vector<std::string>& spares = {}) {
    RepairRequest repair;
    repair.request = &request_;
    repair.units = {Node("a1"), Node("a2"), Node("b1"), Node("b2")};
    for (const NodeIndex node : repair.units) cluster_.state_of(node).free = false;
    for (const int32_t unit : vacated) cluster_.state_of(repair.units[unit]).ok = false;
    repair.vacated = vacated;
    for (const std::string& spare : spares) {
      repair.spares.push_back(Node(spare));
      cluster_.state_of(Node(spare)).free = false;
    }
    return repair;
  }
  std::string NodeOf(const Decision& decision, int rank) {
    return std::get<Placed>(decision).placement.ranks(rank).node();
  }

  Cluster cluster_;
  Request request_;
};

TEST_F(RepairTest, OneLost_TheCheapestNodeAndNobodyElseMoves) {
  const Decision decision = Repair(Lost({1}), cluster_, HopCosts::Default(2), 0);
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(NodeOf(decision, 0), "a1");
  EXPECT_EQ(NodeOf(decision, 1), "a3");
  EXPECT_EQ(NodeOf(decision, 2), "b1");
  EXPECT_EQ(NodeOf(decision, 3), "b2");
  EXPECT_EQ(ReasonOf(decision), "moved node rank 1 from a2 to a3; the other 3 nodes stay");
}

TEST_F(RepairTest, SpareOfEqualCost_GoesFirst) {
  const Decision decision = Repair(Lost({1}, {"a4", "c1"}), cluster_, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(NodeOf(decision, 1), "a4");
  EXPECT_THAT(std::get<Placed>(decision).spares, ::testing::ElementsAre(Node("c1")));
}

TEST_F(RepairTest, FarSpare_YieldsToANearerNode) {
  EXPECT_EQ(NodeOf(Repair(Lost({1}, {"c1"}), cluster_, HopCosts::Default(2)), 1), "a3");
}

TEST_F(RepairTest, RequiredDomainFull_NotNowThenNever) {
  request_.spec.mutable_placement()->set_required("block");
  for (const char* name : {"a3", "a4", "b3", "b4"}) cluster_.state_of(Node(name)).free = false;
  Decision decision = Repair(Lost({1}), cluster_, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<NotNow>(decision)) << ReasonOf(decision);
  EXPECT_THAT(ReasonOf(decision), HasSubstr("in the gang's own block"));
  request_.slots = 99;  // nothing fits any more
  decision = Repair(Lost({1}), cluster_, HopCosts::Default(2));
  EXPECT_TRUE(std::holds_alternative<Never>(decision)) << ReasonOf(decision);
}

TEST_F(RepairTest, SliceWhollyLost_MovesTogether) {
  auto* slice = request_.spec.mutable_placement()->add_slices();
  slice->set_size(2);
  slice->set_tier("rack");
  cluster_.state_of(Node("a4")).free = false;  // only a3 is left there: not enough for both
  const Decision decision = Repair(Lost({0, 1}), cluster_, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(NodeOf(decision, 0), "b3");
  EXPECT_EQ(NodeOf(decision, 1), "b4");
}

TEST_F(RepairTest, AllLost_IsPlacedAnewWithoutThem) {
  const Decision decision = Repair(Lost({0, 1, 2, 3}), cluster_, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(NodeOf(decision, 0), "c1");
}

TEST_F(RepairTest, FarReplacement_TellsWhatStartingOverWouldCost) {
  // Only the other block has a node left; it also has room for all.
  for (const char* name : {"a3", "a4", "b3", "b4"}) cluster_.state_of(Node(name)).free = false;
  const RepairRequest repair = Lost({1});
  const Decision decision = Repair(repair, cluster_, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(NodeOf(decision, 1), "c1");
  EXPECT_EQ(std::get<Placed>(decision).placement.cost(), 8 * 17 * (16 + 16 + 1 + 4));
  EXPECT_THAT(ReasonOf(decision), HasSubstr("; starting over would be better: cost 544 in place of 5032 (9.25 ×)"));
  EXPECT_THAT(ReasonOf(Repair(repair, cluster_, HopCosts::Default(2), 0)), ::testing::Not(HasSubstr("starting over")));
}

}  // namespace
}  // namespace muster::placement
