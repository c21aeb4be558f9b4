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

// A restart makes no dead node alive: it stays lost until its agent comes for orders, and says when it was last heard.
// The living have a full lease.
TEST_F(NodeStory, LostNode_StaysLostOverARestart) {
  Agents(2);
  h_.Advance(absl::Seconds(5));
  for (int i = 0; i < 45; ++i) {
    agents_[1]->Turn();
    h_.Advance(absl::Seconds(1));
  }
  const v1::Node before = h_.Node("n0");
  ASSERT_EQ(before.condition(), v1::LOST);
  h_.Start();
  EXPECT_EQ(h_.Node("n0").condition(), v1::LOST);
  EXPECT_EQ(h_.Node("n0").last_seen().seconds(), before.last_seen().seconds());
  EXPECT_EQ(h_.Node("n1").condition(), v1::NODE_OK);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  EXPECT_EQ(h_.Phase("job"), v1::QUEUED) << "a gang was given a node that is lost";
  h_.Advance(absl::Seconds(25));
  EXPECT_EQ(h_.Node("n1").condition(), v1::NODE_OK) << "a full lease from the restart on";
  ASSERT_TRUE(agents_[0]->Register().ok());
  agents_[1]->Turn();
  EXPECT_EQ(h_.Node("n0").condition(), v1::NODE_OK);
  Settled();
  EXPECT_EQ(h_.Phase("job"), v1::ASSEMBLING) << h_.Job("job").why();
}

// An agent that has seen a greater term drops everything that this coordinator says: it registers, and registers again.
// That it registers doesn't make its node one that a job may have.
TEST_F(NodeStory, AgentThatOnlyRegisters_IsGivenNothing) {
  for (const char* name : {"n0", "n1"}) {
    agents_.push_back(std::make_unique<FakeAgent>(h_, name, "r0"));
    agents_.back()->follows = false;
    v1::OrderMark& mark = agents_.back()->seen["job-of-another-life"];
    mark.set_job_uid("job-of-another-life");
    mark.set_term(7);
    mark.set_number(3);
    ASSERT_TRUE(agents_.back()->Register().ok());
  }
  EXPECT_EQ(h_.Node("n0").condition(), v1::LOST);
  EXPECT_THAT(h_.Node("n0").reason(), HasSubstr("not come for orders yet"));
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  for (int i = 0; i < 10; ++i) {
    for (auto& agent : agents_) ASSERT_TRUE(agent->Register().ok());
    h_.Advance(absl::Seconds(10));
  }
  EXPECT_EQ(h_.Phase("job"), v1::QUEUED);
  EXPECT_EQ(h_.Node("n0").condition(), v1::LOST);
  EXPECT_THAT(h_.Node("n0").reason(),
              HasSubstr("takes no orders: it has taken some of term 7, and this coordinator is"));
  // As after a restart of the agents.
  for (auto& agent : agents_) {
    agent->follows = true;
    ++agent->ordinal;
    ASSERT_TRUE(agent->Register().ok());
  }
  Settled();
  EXPECT_EQ(h_.Phase("job"), v1::ASSEMBLING) << h_.Job("job").why();
}

// Of a node that the store has as alive, too: registering renews no lease.
TEST_F(NodeStory, AgentThatOnlyRegistersAfterARestart_LosesItsNode) {
  Agents(2);
  Released("job", 2);
  h_.Start();
  agents_[0]->follows = false;
  for (int i = 0; i < 40; ++i) {
    agents_[1]->Turn();
    ASSERT_TRUE(agents_[0]->Register().ok());
    h_.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(h_.Node("n0").condition(), v1::LOST);
  EXPECT_EQ(h_.Node("n1").condition(), v1::NODE_OK);
  EXPECT_EQ(h_.Phase("job"), v1::REPAIRING) << h_.Job("job").why();
}

// Somebody registered the node with a session of the far future and went. The way out that the refusal names works.
TEST_F(NodeStory, SessionOfTheFuture_EndsWithAPersonsWord) {
  Agents(1);
  const int64_t own = agents_[0]->ordinal;
  agents_[0]->ordinal = own + 1'000'000'000;
  ASSERT_TRUE(agents_[0]->Register().ok());
  agents_[0]->ordinal = own + 1;
  v1::ReadmitRequest readmit;
  readmit.set_name("n0");
  const auto ask = [&] {
    return h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.Readmit(readmit, std::move(r)); });
  };
  absl::Status refused = agents_[0]->Register();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("a newer session of node n0 lives"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("\"muster readmit node n0\""));
  ASSERT_TRUE(ask().ok());
  EXPECT_FALSE(agents_[0]->Register().ok()) << "it lives, so it is the other one's";
  h_.Advance(absl::Seconds(40));
  ASSERT_EQ(h_.Node("n0").condition(), v1::LOST);
  refused = agents_[0]->Register();
  EXPECT_THAT(std::string(refused.message()), HasSubstr("\"muster readmit node n0\" lets this one have the node"));
  const auto readmitted = ask();
  ASSERT_TRUE(readmitted.ok());
  EXPECT_THAT(readmitted->reason(), HasSubstr("the next one that registers has the node"));
  h_.Start();
  ASSERT_TRUE(agents_[0]->Register().ok()) << agents_[0]->Register();
  EXPECT_EQ(h_.Node("n0").condition(), v1::NODE_OK);
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
