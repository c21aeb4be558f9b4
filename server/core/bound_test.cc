#include "server/core/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/gang/new_gang.h"
#include "lib/topology/tiers.h"
#include "server/core/derive.h"

namespace muster::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Nodes n0..n7, two a rack.
placement::Cluster EightNodes() {
  std::vector<v1::Node> nodes(8);
  for (int i = 0; i < 8; ++i) {
    v1::NodeInfo& info = *nodes[i].mutable_info();
    info.set_name(absl::StrCat("n", i));
    info.set_uid(absl::StrCat("uid-n", i));
    (*info.mutable_labels())["rack"] = absl::StrCat("r", i / 2);
    (*info.mutable_capacity())["gpu"] = 8;
  }
  return *placement::MakeCluster(*Tiers::Create({{"rack", "rack"}}), nodes);
}

class BoundTest : public ::testing::Test {
 protected:
  // A job of two workers a member, tp inside the members and dp over them, whose members another scheduler places.
  void Make(int32_t members, int32_t per_node = 1, v1::PlacementSpec::RankBy rank_by = v1::PlacementSpec::TOPOLOGY) {
    v1::JobSpec spec;
    spec.set_members(members);
    spec.set_workers_per_member(2);
    spec.mutable_mesh()->set_dialect("megatron");
    v1::MeshSpec::Axis& tp = *spec.mutable_mesh()->add_axes();
    tp.set_name("tp");
    tp.set_size(2);
    spec.mutable_placement()->set_source(v1::PlacementSpec::BOUND);
    spec.mutable_placement()->set_rank_by(rank_by);
    spec.mutable_placement()->set_members_per_node(per_node);
    gang::Submission submission;
    submission.uid = JobUid("job-1");
    submission.ns = "default";
    submission.name = "job";
    submission.spec = std::make_shared<const v1::JobSpec>(spec);
    job_.gang = gang::NewGang(std::move(submission), absl::UnixEpoch());
    ASSERT_TRUE(Derive(job_).ok());
  }
  void Bind(const std::vector<std::string>& nodes) {
    job_.gang.facts.bound.clear();
    for (size_t i = 0; i < nodes.size(); ++i) job_.gang.facts.bound[PodIndex(static_cast<int32_t>(i))] = nodes[i];
  }
  std::optional<gang::Event> Place() {
    why_.clear();
    return PlaceBound(job_, cluster_, placement::HopCosts::Default(1), &why_);
  }
  static std::vector<std::string> NodesOf(const gang::PlacementPtr& placement) {
    std::vector<std::string> nodes;
    for (const v1::PlacedNode& rank : placement->ranks()) nodes.push_back(rank.node());
    return nodes;
  }
  static std::vector<int32_t> IndexesOf(const gang::PlacementPtr& placement) {
    std::vector<int32_t> indexes;
    for (const v1::PlacedNode& rank : placement->ranks()) indexes.push_back(rank.pod_index());
    return indexes;
  }
  gang::PlacementPtr Placed() {
    const std::optional<gang::Event> event = Place();
    if (!event || !std::holds_alternative<gang::PlacementFound>(*event)) {
      ADD_FAILURE() << "not placed: " << why_;
      return std::make_shared<v1::Placement>();
    }
    return std::get<gang::PlacementFound>(*event).placement;
  }

  const placement::Cluster cluster_ = EightNodes();
  Job job_;
  std::string why_;
};

TEST_F(BoundTest, NotAllMembersBound_WaitsForTheRest) {
  Make(4);
  Bind({"n0", "n1", "n2"});
  EXPECT_FALSE(Place());
}

TEST_F(BoundTest, NodeWithoutAgent_IsNamedWithItsMember) {
  Make(2);
  Bind({"n0", "elsewhere"});
  EXPECT_FALSE(Place());
  EXPECT_EQ(why_, "member 1 is on node elsewhere, which has no agent here");
}

// Pod indexes that go back and forth between racks: the ranks are laid along the tree, and each rank names the member
// that sits there.
TEST_F(BoundTest, ByTopology_RanksFollowTheTreeAndNameTheirMembers) {
  Make(4);
  Bind({"n4", "n0", "n5", "n1"});
  const gang::PlacementPtr placement = Placed();
  const std::map<std::string, int32_t> index_of = {{"n4", 0}, {"n0", 1}, {"n5", 2}, {"n1", 3}};
  const std::vector<std::string> nodes = NodesOf(placement);
  ASSERT_EQ(nodes.size(), 4u);
  // Neighbouring ranks share a rack.
  const auto rack = [](const std::string& node) { return (node[1] - '0') / 2; };
  EXPECT_EQ(rack(nodes[0]), rack(nodes[1]));
  EXPECT_EQ(rack(nodes[2]), rack(nodes[3]));
  for (const v1::PlacedNode& rank : placement->ranks()) EXPECT_EQ(rank.pod_index(), index_of.at(rank.node()));
}

TEST_F(BoundTest, ByIndex_RankIsThePodIndexWhateverItCosts) {
  Make(4, 1, v1::PlacementSpec::INDEX);
  Bind({"n4", "n0", "n5", "n1"});
  const gang::PlacementPtr placement = Placed();
  EXPECT_THAT(NodesOf(placement), ElementsAre("n4", "n0", "n5", "n1"));
  EXPECT_THAT(IndexesOf(placement), ElementsAre(0, 1, 2, 3));
}

TEST_F(BoundTest, OrderOfArrival_DecidesNothing) {
  Make(4);
  Bind({"n4", "n0", "n5", "n1"});
  const std::string once = Placed()->SerializeAsString();
  Bind({"n4", "n0", "n5", "n1"});
  EXPECT_EQ(Placed()->SerializeAsString(), once);
}

TEST_F(BoundTest, SeveralMembersOnANode_HaveConsecutiveRanksByIndex) {
  Make(4, 2);
  Bind({"n2", "n0", "n2", "n0"});
  const gang::PlacementPtr placement = Placed();
  const std::vector<std::string> nodes = NodesOf(placement);
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0], nodes[1]);
  EXPECT_EQ(nodes[2], nodes[3]);
  EXPECT_THAT(IndexesOf(placement), nodes[0] == "n0" ? ElementsAre(1, 3, 0, 2) : ElementsAre(0, 2, 1, 3));
}

TEST_F(BoundTest, OtherCountOnANodeThanTheJobSays_IsSaid) {
  Make(4, 2);
  Bind({"n0", "n0", "n0", "n2"});
  EXPECT_FALSE(Place());
  EXPECT_THAT(why_, HasSubstr("on one node, but the job says 2 a node"));
  Make(2, 1, v1::PlacementSpec::INDEX);
  Bind({"n3", "n3"});
  EXPECT_FALSE(Place());
  EXPECT_THAT(why_, HasSubstr("more members are on one node than the 1 a node that the job says"));
}

// A replacement takes the vacated rank; no other member moves.
TEST_F(BoundTest, Repair_MovesOnlyWhatIsElsewhereNow) {
  Make(4);
  Bind({"n4", "n0", "n5", "n1"});
  const gang::PlacementPtr before = Placed();
  gang::Repairing repairing;
  repairing.placement = before;
  job_.gang.state = repairing;
  Bind({"n4", "n0", "n7", "n1"});
  const std::optional<gang::Event> event = Place();
  ASSERT_TRUE(event) << why_;
  const auto* found = std::get_if<gang::ReplacementFound>(&*event);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(IndexesOf(found->placement), IndexesOf(before));
  std::vector<std::string> expected = NodesOf(before);
  std::replace(expected.begin(), expected.end(), std::string("n5"), std::string("n7"));
  EXPECT_EQ(NodesOf(found->placement), expected);
}

}  // namespace
}  // namespace muster::core
