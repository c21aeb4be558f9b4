#include "lib/gang/release.h"

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {
namespace {

v1::Assignment Parsed(const std::string& bytes) {
  v1::Assignment assignment;
  EXPECT_TRUE(assignment.ParseFromString(bytes));
  return assignment;
}

TEST(Release, Assignment_SaysAllThatAMemberNeeds) {
  Harness h({.members = 3, .workers = 200});
  h.ToAssembling({2, 0, 1});
  h.ToRunning({2, 0, 1});
  const v1::Assignment last = Parsed(h.Bytes(2));
  EXPECT_EQ(last.format(), 1);
  EXPECT_EQ(last.job_uid(), "job-1");
  EXPECT_EQ(last.namespace_(), "default");
  EXPECT_EQ(last.job(), "j");
  EXPECT_EQ(last.attempt(), 0);
  EXPECT_EQ(last.epoch(), 1);
  EXPECT_EQ(last.pod_index(), 2);
  EXPECT_EQ(last.node_rank(), 2);
  EXPECT_EQ(last.node(), "n1");
  EXPECT_EQ(last.members(), 3);
  EXPECT_EQ(last.workers_per_member(), 200);
  EXPECT_EQ(last.world(), 600);
  EXPECT_EQ(last.world_ids(), 3) << "one for each 256 ranks begun";
  EXPECT_EQ(last.ranked_by(), v1::Assignment::BY_TOPOLOGY);
  EXPECT_EQ(last.receipt_id(), h.gang.receipt.value());
  EXPECT_EQ(last.placement_digest(), "digest-2-0-1");
  EXPECT_FALSE(last.self_test_waived());
}

// Ranks by the node called from, not by the pod index; the leader is who has rank 0, with the port it has reserved.
TEST(Release, RankByNode_LeaderIsRankZero) {
  Harness h({.members = 3});
  h.ToAssembling({2, 0, 1});
  for (const auto& [index, node] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 2)}) h.Call(index, OnHost(1), node);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(Parsed(h.Bytes(2)).node_rank(), 0);
  EXPECT_EQ(Parsed(h.Bytes(0)).node_rank(), 1);
  for (int index = 0; index < 3; ++index) {
    EXPECT_EQ(Parsed(h.Bytes(index)).leader_address(), "10.0.0.2");
    EXPECT_EQ(Parsed(h.Bytes(index)).leader_port(), 20002);
  }
}

// An address that the agent registered goes before the caller's word; the job's port before a reserved one.
TEST(Release, RegisteredAddressAndTheJobsPort_GoFirst) {
  Harness h;
  auto spec = std::make_shared<v1::JobSpec>(*h.gang.spec);
  spec->mutable_launch()->set_leader_port(6000);
  h.gang.spec = spec;
  auto placement = std::make_shared<v1::Placement>(*PlacementOn({0, 1}));
  placement->mutable_ranks(0)->set_address("192.168.7.1");
  h.Do(PlacementFound{placement});
  h.PlanTest();
  h.Conclude(TestConcluded::Outcome::kPassed);
  h.ConfirmAll();
  h.ToRunning({0, 1});
  EXPECT_EQ(Parsed(h.Bytes(1)).leader_address(), "192.168.7.1");
  EXPECT_EQ(Parsed(h.Bytes(1)).leader_port(), 6000);
}

TEST(Release, NoPortAnywhere_TheDefaultOne) {
  Harness h({.members = 1});
  h.ToAssembling({0});
  h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(1), .node = "n0", .address = "::1"});
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(Parsed(h.Bytes(0)).leader_port(), kDefaultLeaderPort);
  EXPECT_EQ(Parsed(h.Bytes(0)).leader_address(), "::1");
}

TEST(Release, RankedByIndex_IsSaid) {
  Harness h({.rank_by = v1::PlacementSpec::INDEX, .waived = true});
  h.Place({1, 0});
  EXPECT_EQ(h.Call(0, OnHost(1), 0).outcome, v1::WRONG_NODE) << "index 0 belongs on the node of rank 0";
  h.Call(0, OnHost(2), 1);
  h.Call(1, OnHost(1), 0);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(Parsed(h.Bytes(1)).node_rank(), 1);
  EXPECT_EQ(Parsed(h.Bytes(1)).ranked_by(), v1::Assignment::BY_INDEX);
  EXPECT_TRUE(Parsed(h.Bytes(1)).self_test_waived());
}

// One call a worker: each has an assignment of its own, the mesh's part made for its local rank.
TEST(Release, Workers_HaveTheirOwn) {
  Harness h({.members = 1, .workers = 2});
  h.gang.mesh = [](v1::Assignment& assignment) {
    assignment.add_families()->set_name("tp-" + std::to_string(assignment.local_rank()));
    return absl::OkStatus();
  };
  h.ToAssembling({0});
  h.Call(0, OnHost(3), 0, 1);
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  h.Call(0, OnHost(9), 0, 0);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(Parsed(*h.Ask(0, OnHost(3), 0, 1).assignment).families(0).name(), "tp-1");
  EXPECT_EQ(Parsed(*h.Ask(0, OnHost(9), 0, 0).assignment).families(0).name(), "tp-0");
  EXPECT_EQ(h.Ask(0, OnHost(3), 0, 0).outcome, v1::SUPERSEDED);
}

// A mesh that can't be laid over the world is the job's fault: it fails and says why, and nobody is released.
TEST(Release, MeshThatFails_FailsTheJob) {
  Harness h;
  h.gang.mesh = [](v1::Assignment&) { return absl::InvalidArgumentError("tp 3 does not divide 2"); };
  h.ToAssembling({0, 1});
  h.Call(0, OnHost(1), 0);
  h.Call(1, OnHost(1), 1);
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.gang.why, "the mesh can't be laid over 2 workers: tp 3 does not divide 2");
}

}  // namespace
}  // namespace muster::gang
