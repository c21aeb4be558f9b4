// Nodes through the core, in virtual time: who has them, who may have them, and when they are given on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/core/story.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

using NodeStory = Story;

TEST_F(NodeStory, SlowStop_HoldsTheNodeBack) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("first", Spec(2, v1::LaunchSpec::AGENT)).ok());
  Settled();
  agents_[0]->confirms = false;
  ASSERT_TRUE(h_.Cancel("first").ok());
  Settled();
  ASSERT_TRUE(h_.Submit("second", Spec(2)).ok());
  Settled();
  EXPECT_EQ(h_.Phase("second"), v1::QUEUED);
  EXPECT_EQ(h_.Node("n0").use(), v1::NODE_STOPPING);
  EXPECT_EQ(h_.Node("n1").use(), v1::FREE);
  agents_[0]->ReportEnded(agents_[0]->seen.begin()->second);
  Settled();
  EXPECT_EQ(h_.Phase("second"), v1::ASSEMBLING) << h_.Job("second").why();
}

TEST_F(NodeStory, UnconfirmedStop_QuarantinesWithoutExpiryUntilConfirmed) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("first", Spec(2, v1::LaunchSpec::AGENT)).ok());
  Settled();
  agents_[0]->confirms = false;
  ASSERT_TRUE(h_.Cancel("first").ok());
  Settled();
  for (int i = 0; i < 20; ++i) {
    h_.Advance(absl::Seconds(10));
    Settled();
  }
  v1::Node node = h_.Node("n0");
  EXPECT_EQ(node.condition(), v1::QUARANTINED) << node.reason();
  EXPECT_FALSE(node.has_until());
  EXPECT_EQ(node.use(), v1::NODE_STOPPING);
  h_.Start();
  Settled();
  EXPECT_EQ(h_.Node("n0").condition(), v1::QUARANTINED);
  agents_[0]->ReportEnded(agents_[0]->seen.begin()->second);
  Settled();
  node = h_.Node("n0");
  EXPECT_EQ(node.condition(), v1::NODE_OK) << node.reason();
  EXPECT_EQ(node.use(), v1::FREE);
}

TEST_F(NodeStory, AccusedNode_IsQuarantinedAndSpareTakesOver) {
  Agents(4);
  agents_[1]->corrupt = true;
  v1::JobSpec spec = Spec(3);
  spec.mutable_placement()->add_nodes("n0");
  spec.mutable_placement()->add_nodes("n1");
  spec.mutable_placement()->add_nodes("n2");
  spec.mutable_placement()->add_nodes("n3");
  ASSERT_TRUE(h_.Submit("job", spec).ok());
  Settled();
  const v1::Job job = h_.Job("job");
  EXPECT_EQ(job.phase(), v1::ASSEMBLING) << job.why();
  if (agents_[1]->tests > 0) {
    EXPECT_EQ(h_.Node("n1").condition(), v1::QUARANTINED) << h_.Node("n1").reason();
  }
  for (const auto& rank : job.placement().ranks()) EXPECT_NE(rank.node(), "n1");
}

TEST_F(NodeStory, LostAgent_LosesItsNodeAndComesBack) {
  Agents(3);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  const std::string lost = h_.Job("job").placement().ranks(0).node();
  for (int i = 0; i < 45; ++i) {
    h_.Advance(absl::Seconds(1));
    for (auto& agent : agents_)
      if (agent->info.name() != lost) agent->Turn();
  }
  EXPECT_EQ(h_.Node(lost).condition(), v1::LOST);
  const v1::Job repaired = h_.Job("job");
  for (const auto& rank : repaired.placement().ranks()) EXPECT_NE(rank.node(), lost);
  for (auto& agent : agents_) agent->Turn();
  EXPECT_EQ(h_.Node(lost).condition(), v1::NODE_OK);
}

TEST_F(NodeStory, QuarantineReadmitDrain) {
  Agents(2);
  v1::QuarantineRequest quarantine;
  quarantine.set_name("n0");
  quarantine.set_reason("loose cable");
  quarantine.mutable_duration()->set_seconds(60);
  auto node = h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.QuarantineNode(quarantine, std::move(r)); });
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->condition(), v1::QUARANTINED);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  EXPECT_EQ(h_.Phase("job"), v1::QUEUED);
  EXPECT_THAT(h_.Job("job").why(), HasSubstr("1 free and healthy"));
  h_.Start();
  EXPECT_EQ(h_.Node("n0").condition(), v1::QUARANTINED);
  for (int i = 0; i < 7; ++i) {
    h_.Advance(absl::Seconds(10));
    Settled();
  }
  EXPECT_EQ(h_.Node("n0").condition(), v1::NODE_OK);
  EXPECT_EQ(h_.Phase("job"), v1::ASSEMBLING) << h_.Job("job").why();
  v1::DrainRequest drain;
  drain.set_name("n1");
  node = h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.Drain(drain, std::move(r)); });
  EXPECT_EQ(node->condition(), v1::DRAINING);
  EXPECT_EQ(node->use(), v1::ASSIGNED);
  v1::ReadmitRequest readmit;
  readmit.set_name("n1");
  node = h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.Readmit(readmit, std::move(r)); });
  EXPECT_EQ(node->condition(), v1::NODE_OK);
  readmit.set_name("n7");
  EXPECT_EQ(
      h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.Readmit(readmit, std::move(r)); }).status().code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace muster::core
