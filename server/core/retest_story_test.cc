// How a node that a test quarantined gets back: by a test beside healthy nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/core/receipts.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

class RetestStory : public Story {
 protected:
  // Four agents, n1 accused by the test of a job that is over.
  void Accuse() {
    Agents(5);
    agents_[1]->corrupt = true;
    v1::JobSpec spec = Spec(4);
    for (const char* node : {"n0", "n1", "n2", "n3"}) spec.mutable_placement()->add_nodes(node);
    ASSERT_TRUE(h_.Submit("job", spec).ok());
    Settled();
    ASSERT_EQ(h_.Node("n1").condition(), v1::QUARANTINED) << h_.Job("job").why();
    ASSERT_EQ(h_.Node("n1").set_by().substr(0, 4), "rcp-");
    ASSERT_TRUE(h_.Cancel("job").ok());
    Settled();
    ASSERT_EQ(h_.Node("n1").use(), v1::FREE);
  }

  absl::StatusOr<v1::Job> Test(const std::vector<std::string>& nodes, const std::string& backend = "") {
    v1::StartSelfTestRequest request;
    *request.mutable_nodes() = {nodes.begin(), nodes.end()};
    request.mutable_self_test()->set_backend(backend);
    const auto started = h_.Ask<v1::StartSelfTestResponse>(
        [&](Coordinator& c, Reply<v1::StartSelfTestResponse> r) { c.StartSelfTest(request, std::move(r)); });
    if (!started.ok()) return started.status();
    Settled();
    return h_.Job(started->job().name());
  }
};

TEST_F(RetestStory, PassingBesideThree_Readmits) {
  Accuse();
  agents_[1]->corrupt = false;
  const auto job = Test({"n1", "n0", "n2", "n3"});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->result(), v1::SUCCEEDED) << job->why();
  EXPECT_EQ(h_.Node("n1").condition(), v1::NODE_OK);
  EXPECT_THAT(ReadReceipt(*h_.store, job->receipt_id())->actions(), testing::ElementsAre(HasSubstr("readmitted")));
}

TEST_F(RetestStory, FailingAgain_StaysQuarantined) {
  Accuse();
  const auto job = Test({"n1", "n0", "n2", "n3"});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->result(), v1::FAILED) << job->why();
  EXPECT_EQ(h_.Node("n1").condition(), v1::QUARANTINED);
}

TEST_F(RetestStory, BesideFewerThanThree_ChangesNothing) {
  Accuse();
  agents_[1]->corrupt = false;
  const auto job = Test({"n1", "n0", "n2"});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->result(), v1::SUCCEEDED) << job->why();
  EXPECT_EQ(h_.Node("n1").condition(), v1::QUARANTINED);
}

TEST_F(RetestStory, WhatAPersonSet_OnlyAPersonEnds) {
  Agents(4);
  v1::QuarantineRequest quarantine;
  quarantine.set_name("n1");
  quarantine.set_reason("smells");
  ASSERT_TRUE(
      h_.Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> r) { c.QuarantineNode(quarantine, std::move(r)); }).ok());
  const auto job = Test({"n1", "n0", "n2", "n3"});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->result(), v1::SUCCEEDED) << job->why();
  EXPECT_EQ(h_.Node("n1").condition(), v1::QUARANTINED);
}

TEST_F(RetestStory, OtherJobs_StillNeverGetIt) {
  Accuse();
  ASSERT_TRUE(h_.Submit("five", Spec(5)).ok());
  Settled();
  EXPECT_EQ(h_.Phase("five"), v1::QUEUED);
}

TEST_F(RetestStory, BackendThatItsAgentDoesNotOffer_IsRefused) {
  Agents(4);
  const auto job = Test({"n1", "n0", "n2", "n3"}, "nccl");
  EXPECT_EQ(job.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("does not offer nccl"));
}

TEST_F(RetestStory, JobWhoseBackendNobodyOffers_WaitsAndSaysSo) {
  Agents(3);
  v1::JobSpec spec = Spec(2);
  spec.mutable_self_test()->set_backend("nccl");
  ASSERT_TRUE(h_.Submit("job", spec).ok());
  Settled();
  EXPECT_EQ(h_.Phase("job"), v1::QUEUED);
  EXPECT_THAT(h_.Job("job").why(), HasSubstr("no agent offers nccl"));
  // Enough of them later, on the very nodes that it then gets.
  for (int i : {0, 2}) {
    agents_[static_cast<size_t>(i)]->info.add_backends("nccl");
    ASSERT_TRUE(agents_[static_cast<size_t>(i)]->Register().ok());
  }
  Settled();
  const v1::Job job = h_.Job("job");
  EXPECT_EQ(job.phase(), v1::ASSEMBLING) << job.why();
  for (const v1::PlacedNode& rank : job.placement().ranks()) EXPECT_NE(rank.node(), "n1");
}

}  // namespace
}  // namespace muster::core
