// The shapes that Muster grew from: 64 and twice 256 GPUs, with every member's GetRank over real connections. What
// they are told is decoded as a client does it, and compared with the facts that are known of these layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/worker/groups.h"
#include "lib/job/validate.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/assignment.pb.h"
#include "tests/harness/cluster.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

constexpr int kGpus = 8;

using Ranks = std::vector<int64_t>;

// What one family's groups touch.
struct Touch {
  int64_t groups = 0, size = 0;
  std::set<size_t> nodes, rails;  // counts that occur, over all groups
};

class Seeds : public testing::Test {
 protected:
  Seeds() : cluster_({"--may-waive", "*", "--agent-lease", "10m", "--member-lease", "10m"}) {}

  // `racks` racks of equally many nodes of eight GPUs; named so that their natural order is that of their numbers.
  void StartNodes(int nodes, int racks) {
    cluster_.StartServer();
    for (int n = 0; n < nodes; ++n) {
      nodes_.push_back(std::make_unique<FakeNode>(
          cluster_,
          NodeSpec{.name = absl::StrCat("n", n), .rack = absl::StrCat("r", n * racks / nodes), .slots = kGpus}));
    }
  }

  // Submits, has every member call from its node, and keeps what each was told, by node rank.
  void Run(v1::SubmitRequest request) {
    const int members = static_cast<int>(nodes_.size());
    spec_ = request.spec();
    cluster_.Submit(request);
    const v1::Job job = cluster_.WaitForPhase(request.name(), v1::ASSEMBLING);
    ASSERT_EQ(job.phase(), v1::ASSEMBLING) << job.ShortDebugString() << cluster_.Logs();
    std::vector<std::unique_ptr<HeldRank>> calls;
    // Not by rank: a pod's index says nothing of where it sits.
    for (int index = 0; index < members; ++index) {
      const std::string& node = nodes_[(index * 5 + 3) % members]->name();
      calls.push_back(std::make_unique<HeldRank>(cluster_, RankRequest(job, index, 1, node)));
    }
    told_.resize(members);
    for (int index = 0; index < members; ++index) {
      ASSERT_TRUE(calls[index]->Wait());
      ASSERT_EQ(calls[index]->outcome(), v1::READY) << calls[index]->status().error_message();
      const std::string& bytes = calls[index]->response().assignment();
      EXPECT_LT(bytes.size(), 2048u) << "member " << index;
      v1::Assignment assignment;
      ASSERT_TRUE(assignment.ParseFromString(bytes));
      EXPECT_EQ(assignment.pod_index(), index);
      EXPECT_EQ(assignment.node(), nodes_[(index * 5 + 3) % members]->name());
      ASSERT_GE(assignment.node_rank(), 0);
      ASSERT_LT(assignment.node_rank(), members);
      EXPECT_TRUE(told_[assignment.node_rank()].job().empty())
          << "two members have node rank " << assignment.node_rank();
      told_[assignment.node_rank()] = assignment;
    }
    job_ = cluster_.Get(request.name());
    EXPECT_EQ(job_.phase(), v1::RUNNING);
    for (int rank = 0; rank < members; ++rank) {
      EXPECT_EQ(told_[rank].node(), job_.placement().ranks(rank).node());
      EXPECT_EQ(told_[rank].leader_address(), told_[0].leader_address());
      EXPECT_EQ(told_[rank].leader_port(), told_[0].leader_port());
      EXPECT_EQ(told_[rank].placement_digest(), job_.placement().digest());
    }
    EXPECT_EQ(told_[0].leader_port(), 29500 + told_[0].pod_index());
  }

  Ranks Group(const std::string& family, int64_t rank) {
    const v1::Assignment& told = told_[rank / kGpus];
    for (const v1::FamilyShape& shape : told.families()) {
      if (shape.name() != family) continue;
      const auto group = worker::GroupOf(told, shape, static_cast<int32_t>(rank % kGpus));
      return group ? group->members : Ranks();
    }
    ADD_FAILURE() << "no family " << family;
    return {};
  }

  std::map<std::string, int64_t> Coordinates(int64_t rank, bool expert = false) {
    std::map<std::string, int64_t> at;
    const v1::Assignment& told = told_[rank / kGpus];
    for (const v1::AxisShape& axis : expert ? told.expert_axes() : told.dense_axes()) {
      at[axis.axis()] = rank / axis.stride() % axis.size();
    }
    return at;
  }

  // Over all groups that the members were told of; a node is a member, a rail the local rank.
  Touch Touches(const std::string& family) {
    Touch touch;
    std::set<Ranks> groups;
    for (int64_t rank = 0; rank < static_cast<int64_t>(told_.size()) * kGpus; ++rank) {
      const Ranks group = Group(family, rank);
      if (group.empty()) continue;
      EXPECT_NE(std::find(group.begin(), group.end(), rank), group.end()) << family << " of rank " << rank;
      groups.insert(group);
    }
    for (const Ranks& group : groups) {
      std::set<int64_t> nodes, rails;
      for (const int64_t rank : group) {
        nodes.insert(rank / kGpus);
        rails.insert(rank % kGpus);
      }
      ++touch.groups;
      touch.size = static_cast<int64_t>(group.size());
      touch.nodes.insert(nodes.size());
      touch.rails.insert(rails.size());
    }
    return touch;
  }

  void ExpectTouches(const std::string& family, int64_t groups, int64_t size, size_t nodes, size_t rails) {
    const Touch touch = Touches(family);
    EXPECT_EQ(touch.groups, groups) << family;
    EXPECT_EQ(touch.size, size) << family;
    EXPECT_EQ(touch.nodes, std::set<size_t>{nodes}) << "nodes of a group of " << family;
    EXPECT_EQ(touch.rails, std::set<size_t>{rails}) << "rails of a group of " << family;
  }

  // Everything that a client can decode is what lib/mesh says.
  void ExpectAllAsTheMesh() {
    const auto mesh = MeshOf(spec_);
    ASSERT_TRUE(mesh.ok()) << mesh.status();
    int64_t compared = 0;
    for (const v1::FamilyShape& shape : told_[0].families()) {
      const mesh::Family* family = (*mesh)->Find(shape.name());
      ASSERT_NE(family, nullptr) << shape.name();
      for (int64_t rank = 0; rank < (*mesh)->world(); ++rank) {
        const auto membership = family->GroupOf(rank);
        Ranks want;
        if (membership) {
          want = membership->group.Members();
        }
        ASSERT_EQ(Group(shape.name(), rank), want) << shape.name() << " of rank " << rank;
        ++compared;
      }
    }
    EXPECT_GE(compared, 4 * (*mesh)->world());
  }

  const v1::FamilyCrossings& Crossings(const std::string& family) {
    for (const v1::FamilyCrossings& one : job_.placement().crossings()) {
      if (one.family() == family) return one;
    }
    ADD_FAILURE() << "no crossings of " << family;
    return v1::FamilyCrossings::default_instance();
  }

  // What is reported of a family, against a count over the groups that the members were told and the nodes' racks.
  void ExpectCrossings(const std::string& family) {
    std::map<std::string, std::string> rack;
    for (const auto& node : nodes_) rack[node->name()] = node->rack();
    std::set<Ranks> groups;
    for (int64_t rank = 0; rank < static_cast<int64_t>(told_.size()) * kGpus; ++rank)
      groups.insert(Group(family, rank));
    int64_t crossing = 0, in_node = 0;
    for (const Ranks& group : groups) {
      std::set<std::string> racks, nodes;
      for (const int64_t rank : group) {
        nodes.insert(told_[rank / kGpus].node());
        racks.insert(rack.at(told_[rank / kGpus].node()));
      }
      crossing += racks.size() > 1;
      in_node += nodes.size() == 1;
    }
    EXPECT_EQ(Crossings(family).groups(), static_cast<int64_t>(groups.size())) << family;
    EXPECT_EQ(Crossings(family).groups_in_node(), in_node) << family;
    for (const auto& tier : Crossings(family).tiers()) {
      EXPECT_EQ(tier.crossing_groups(), tier.tier() == "rack" ? crossing : 0) << family << " over " << tier.tier();
    }
  }

  // No worse than what it is measured against.
  void ExpectGoodCost() {
    const v1::Placement& placement = job_.placement();
    EXPECT_TRUE(placement.bound_known());
    EXPECT_GE(placement.cost(), placement.lower_bound());
    EXPECT_LE(placement.cost(), placement.name_order_cost());
  }

  Cluster cluster_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  v1::JobSpec spec_;
  v1::Job job_;
  std::vector<v1::Assignment> told_;  // by node rank
};

TEST_F(Seeds, SixtyFourGpus_Tp4Cp2Dp4Pp2) {
  StartNodes(8, 2);
  Run(ExternalJob("seed", 8, kGpus, {{"tp", 4}, {"cp", 2}, {"dp", 4}, {"pp", 2}}));
  if (HasFatalFailure()) return;
  ExpectAllAsTheMesh();
  ExpectTouches("tp", 16, 4, 1, 4);
  ExpectTouches("cp", 32, 2, 1, 2);
  ExpectTouches("dp", 16, 4, 4, 1);
  ExpectTouches("pp", 32, 2, 2, 1);
  ExpectTouches("dp_cp", 8, 8, 4, 2);
  EXPECT_EQ(Group("tp", 3), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(Group("pp", 3), (Ranks{3, 35}));
  EXPECT_EQ(Group("dp", 3), (Ranks{3, 11, 19, 27}));
  EXPECT_EQ(Coordinates(53), (std::map<std::string, int64_t>{{"tp", 1}, {"cp", 1}, {"dp", 2}, {"pp", 1}}));
  for (const char* family : {"tp", "cp", "dp_cp", "pp"}) ExpectCrossings(family);
  ExpectGoodCost();
}

TEST_F(Seeds, MixtureOfExperts_Dense4x2x8x4Experts1x64x1x4) {
  StartNodes(32, 4);
  Run(ExternalJob("seed", 32, kGpus, {{"tp", 4}, {"cp", 2}, {"dp", 8}, {"pp", 4}, {"ep", 64}, {"etp", 1}}));
  if (HasFatalFailure()) return;
  ExpectAllAsTheMesh();
  ExpectTouches("tp", 64, 4, 1, 4);
  ExpectTouches("dp", 32, 8, 8, 1);
  ExpectTouches("dp_cp", 16, 16, 8, 2);
  ExpectTouches("pp", 64, 4, 4, 1);
  // The token exchange is the whole stage: eight nodes, eight rails.
  ExpectTouches("ep", 4, 64, 8, 8);
  EXPECT_EQ(Coordinates(85), (std::map<std::string, int64_t>{{"tp", 1}, {"cp", 1}, {"dp", 2}, {"pp", 1}}));
  std::map<std::string, int64_t> expert = Coordinates(85, /*expert=*/true);
  EXPECT_EQ(expert["ep"], 21);
  EXPECT_EQ(expert["pp"], 1);
  EXPECT_EQ(expert["etp"], 0);
  const Ranks stage = Group("ep", 85);
  ASSERT_EQ(stage.size(), 64u);
  EXPECT_EQ(stage.front(), 64);
  EXPECT_EQ(stage.back(), 127);
  for (const char* family : {"tp", "cp", "dp_cp", "pp", "ep"}) ExpectCrossings(family);
  ExpectGoodCost();
}

TEST_F(Seeds, RailOptimised_Tp8Dp8Pp4On32Nodes) {
  StartNodes(32, 4);
  Run(ExternalJob("seed", 32, kGpus, {{"tp", 8}, {"dp", 8}, {"pp", 4}}));
  if (HasFatalFailure()) return;
  ExpectAllAsTheMesh();
  ExpectTouches("tp", 32, 8, 1, 8);
  // One rail of a stage's eight nodes, one rail of a pipeline's four.
  ExpectTouches("dp", 32, 8, 8, 1);
  ExpectTouches("pp", 64, 4, 4, 1);
  std::set<int64_t> stage, pipeline;
  for (const int64_t rank : Group("dp", 8 * 8)) stage.insert(rank / kGpus);
  EXPECT_EQ(stage, (std::set<int64_t>{8, 9, 10, 11, 12, 13, 14, 15}));
  for (const int64_t rank : Group("pp", 0)) pipeline.insert(rank / kGpus);
  EXPECT_EQ(pipeline, (std::set<int64_t>{0, 8, 16, 24}));
  EXPECT_EQ(Coordinates(85), (std::map<std::string, int64_t>{{"tp", 5}, {"dp", 2}, {"pp", 1}}));
  for (const char* family : {"tp", "dp_cp", "pp"}) ExpectCrossings(family);
  ExpectGoodCost();
}

// One call a worker, and the self-test of the whole gang by agents that answer as healthy ones would.
TEST_F(Seeds, SixtyFourWorkersThatCallThemselves_AfterASelfTestOfAllGroups) {
  StartNodes(8, 2);
  for (auto& node : nodes_) node->Serve();
  v1::SubmitRequest request = ExternalJob("seed", 8, kGpus, {{"tp", 4}, {"cp", 2}, {"dp", 4}, {"pp", 2}});
  request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
  request.mutable_spec()->mutable_self_test()->set_backend("simulated");
  cluster_.Submit(request);
  const v1::Job job = cluster_.WaitForPhase("seed", v1::ASSEMBLING, absl::Seconds(90));
  ASSERT_EQ(job.phase(), v1::ASSEMBLING) << job.ShortDebugString() << cluster_.Logs();
  const v1::Receipt receipt = cluster_.GetReceipt(job.receipt_id());
  EXPECT_EQ(receipt.verdict(), v1::PASS) << receipt.summary();
  std::map<std::string, int64_t> tested;
  for (const v1::FamilyResult& family : receipt.families()) tested[family.family()] = family.groups();
  EXPECT_EQ(tested["tp"], 16);
  EXPECT_EQ(tested["pp"], 32);
  std::vector<std::unique_ptr<HeldRank>> calls;
  for (int rank = 0; rank < 64; ++rank) {
    v1::GetRankRequest call = RankRequest(job, rank / kGpus, 1, job.placement().ranks(rank / kGpus).node());
    call.set_local_rank(rank % kGpus);
    calls.push_back(std::make_unique<HeldRank>(cluster_, call));
  }
  for (int rank = 0; rank < 64; ++rank) {
    ASSERT_TRUE(calls[rank]->Wait());
    ASSERT_EQ(calls[rank]->outcome(), v1::READY) << calls[rank]->status().error_message();
    EXPECT_LT(calls[rank]->response().assignment().size(), 1024u);
    v1::Assignment told;
    ASSERT_TRUE(told.ParseFromString(calls[rank]->response().assignment()));
    EXPECT_EQ(told.node_rank() * kGpus + told.local_rank(), rank);
    EXPECT_FALSE(told.self_test_waived());
    EXPECT_EQ(told.receipt_id(), job.receipt_id());
    std::map<std::string, int64_t> at;
    ASSERT_EQ(told.dense_size(), told.dense_axes_size());
    for (int i = 0; i < told.dense_size(); ++i) at[told.dense_axes(i).axis()] = told.dense(i).index();
    EXPECT_EQ(at, (std::map<std::string, int64_t>{
                      {"tp", rank % 4}, {"cp", rank / 4 % 2}, {"dp", rank / 8 % 4}, {"pp", rank / 32}}));
  }
}

}  // namespace
}  // namespace muster::harness
