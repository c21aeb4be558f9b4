// A job's whole life through the core, in virtual time: from submission to its end, on every way there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "proto/muster/v1/assignment.pb.h"
#include "server/core/receipts.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

using LifeStory = Story;

TEST_F(LifeStory, WholeStory_Succeeds) {
  Agents(2);
  const auto submitted = h_.Submit("llama", Spec(2));
  ASSERT_TRUE(submitted.ok()) << submitted.status();
  EXPECT_EQ(h_.Phase("llama"), v1::TESTING);
  Settled();
  EXPECT_EQ(agents_[0]->tests, 1);
  EXPECT_EQ(h_.Phase("llama"), v1::ASSEMBLING) << h_.Job("llama").why();
  const auto members = MembersOf("llama");
  auto first = members[0].Call(h_);
  EXPECT_FALSE(first.done());
  auto second = members[1].Call(h_);
  ASSERT_TRUE(first.done() && second.done());
  ASSERT_TRUE(first.get().ok()) << first.get().status();
  v1::Assignment a;
  ASSERT_TRUE(a.ParseFromString(first.get()->assignment()));
  EXPECT_EQ(a.node_rank(), 0);
  EXPECT_EQ(a.world(), 4);
  EXPECT_EQ(a.epoch(), 1);
  EXPECT_FALSE(a.receipt_id().empty());
  EXPECT_EQ(h_.Phase("llama"), v1::RUNNING);
  auto watch = members[0].Watch(h_, 1);
  EXPECT_FALSE(watch.done());
  EXPECT_TRUE(members[0].Exit(h_, 1, 0).ok());
  EXPECT_TRUE(members[1].Exit(h_, 1, 0).ok());
  Settled();
  const v1::Job job = h_.Job("llama");
  EXPECT_EQ(job.phase(), v1::FINISHED);
  EXPECT_EQ(job.result(), v1::SUCCEEDED) << job.why();
  EXPECT_EQ(h_.Node("n0").use(), v1::FREE);
  EXPECT_EQ(watch.count(), 1);
}

TEST_F(LifeStory, AgentLaunch_StartsAndEnds) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("run", Spec(2, v1::LaunchSpec::AGENT)).ok());
  Settled();
  ASSERT_EQ(agents_[0]->starts, 1) << h_.Job("run").why();
  std::vector<Pending<v1::GetRankResponse>> calls;
  for (auto& agent : agents_) {
    for (const auto& [index, incarnation] : agent->members) {
      FakeMember member;
      member.job.set_name("run");
      member.index = index;
      member.incarnation = incarnation;
      member.node = agent->info.name();
      calls.push_back(member.Call(h_));
    }
  }
  for (auto& call : calls) ASSERT_TRUE(call.done() && call.get().ok()) << h_.Job("run").why();
  for (auto& agent : agents_) {
    const int32_t index = agent->members.begin()->first;
    agent->ReportMemberEnded(index, 0);
  }
  Settled();
  EXPECT_EQ(h_.Phase("run"), v1::FINISHED) << h_.Job("run").why();
  EXPECT_EQ(h_.Node("n0").use(), v1::FREE);
  for (auto& agent : agents_) EXPECT_TRUE(agent->seen.empty());
}

TEST_F(LifeStory, TwoJobs_SecondWaitsAndThenRuns) {
  Agents(2);
  Released("first", 2);
  ASSERT_TRUE(h_.Submit("second", Spec(2)).ok());
  v1::Job second = h_.Job("second");
  EXPECT_EQ(second.phase(), v1::QUEUED);
  EXPECT_EQ(second.queue_position(), 1);
  EXPECT_FALSE(second.why().empty());
  for (const auto& member : members_) ASSERT_TRUE(member.Exit(h_, 1, 0).ok());
  Settled();
  EXPECT_EQ(h_.Phase("second"), v1::ASSEMBLING) << h_.Job("second").why();
}

TEST_F(LifeStory, Never_FailsAtOnceWithReason) {
  Agents(1);
  v1::JobSpec spec = Spec(2);
  spec.mutable_placement()->set_required("no-such-tier");
  ASSERT_TRUE(h_.Submit("job", spec).ok());
  const v1::Job job = h_.Job("job");
  EXPECT_EQ(job.phase(), v1::FINISHED);
  EXPECT_EQ(job.result(), v1::FAILED);
  EXPECT_THAT(job.why(), HasSubstr("no-such-tier"));
}

TEST_F(LifeStory, LostLease_RepairsAfterGrace) {
  Agents(3);
  Released("job", 2);
  auto watch = members_[0].Watch(h_, 1);
  // Member 1 never watches.
  for (int i = 0; i < 60 && h_.Phase("job") == v1::RUNNING; ++i) {
    h_.Advance(absl::Seconds(5));
    Settled();
    if (watch.done() && h_.Phase("job") == v1::RUNNING) watch = members_[0].Watch(h_, 1);
  }
  EXPECT_NE(h_.Phase("job"), v1::RUNNING);
  ASSERT_TRUE(watch.done() && watch.get().ok());
  EXPECT_EQ(watch.get()->order(), v1::WatchGangResponse::STOP_AND_REJOIN) << watch.get()->why();
}

TEST_F(LifeStory, FailedExit_RejoinGivesNewEpoch) {
  Agents(2);
  const std::vector<std::string> before = Released("job", 2);
  auto watch = members_[0].Watch(h_, 1);
  ASSERT_TRUE(members_[1].Exit(h_, 1, 7).ok());
  Settled();
  ASSERT_TRUE(watch.done() && watch.get().ok());
  EXPECT_EQ(watch.get()->order(), v1::WatchGangResponse::STOP_AND_REJOIN);
  ASSERT_TRUE(members_[0].Exit(h_, 1, 143, /*ordered=*/true).ok());
  members_[1].incarnation.set_ordinal(2);
  Settled();
  auto calls = CallAll(members_);
  Settled();
  for (auto& call : calls) {
    ASSERT_TRUE(call.done()) << h_.Job("job").why();
    ASSERT_TRUE(call.get().ok()) << call.get().status();
    v1::Assignment a;
    ASSERT_TRUE(a.ParseFromString(call.get()->assignment()));
    EXPECT_EQ(a.epoch(), 2);
  }
}

TEST_F(LifeStory, Cancel_InEveryPhase_Ends) {
  for (const int turns : {0, 1, 2, 3}) {
    Harness h;
    std::vector<std::unique_ptr<FakeAgent>> agents;
    for (int i = 0; i < 2; ++i) agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
    ASSERT_TRUE(h.Submit("job", Spec(2, v1::LaunchSpec::AGENT)).ok());
    if (turns > 0) {
      for (auto& agent : agents) ASSERT_TRUE(agent->Register().ok());
    }
    if (turns > 1) agents[0]->Turn();
    if (turns > 2) Settle(h, agents);
    const auto cancelled = h.Cancel("job");
    ASSERT_TRUE(cancelled.ok());
    if (turns > 0) Settle(h, agents);
    EXPECT_EQ(h.Phase("job"), v1::FINISHED) << turns << " " << h.Job("job").why();
    EXPECT_EQ(h.Job("job").result(), v1::RESULT_CANCELLED);
    EXPECT_TRUE(h.Cancel("job").ok());
    if (turns > 0) {
      EXPECT_EQ(h.Node("n0").use(), v1::FREE);
    }
    FakeMember member;
    member.job.set_name("job");
    member.incarnation.set_ordinal(1);
    auto call = member.Call(h);
    ASSERT_TRUE(call.done());
    EXPECT_EQ(DetailOf(call.get().status())->outcome(), v1::CANCELLED) << call.get().status();
  }
}

TEST_F(LifeStory, Submit_SameRequestIdIsOneJobAlsoAfterRestart) {
  v1::SubmitRequest request;
  request.set_name("job");
  request.set_request_id("r1");
  *request.mutable_spec() = Spec(2);
  const auto submit = [&] {
    return h_.Ask<v1::SubmitResponse>(
        [&](Coordinator& c, Reply<v1::SubmitResponse> r) { c.Submit(request, std::move(r)); });
  };
  const auto first = submit();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(submit()->job().uid(), first->job().uid());
  h_.Start();
  EXPECT_EQ(submit()->job().uid(), first->job().uid());
  request.set_request_id("r2");
  EXPECT_EQ(submit().status().code(), absl::StatusCode::kAlreadyExists);
  request.set_request_id("r1");
  request.mutable_spec()->set_members(3);
  EXPECT_EQ(submit().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LifeStory, Waiver_OnlyWhereAllowed) {
  Options options;
  options.may_waive = {"default"};
  Harness h(options);
  v1::JobSpec spec = Spec(2);
  spec.mutable_self_test()->set_profile(v1::SelfTestSpec::NONE);
  const auto refused = h_.Submit("job", spec);
  EXPECT_EQ(DetailOf(refused.status())->field(), "spec.selfTest.profile");
  std::vector<std::unique_ptr<FakeAgent>> agents;
  for (int i = 0; i < 2; ++i) {
    agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
    ASSERT_TRUE(agents.back()->Register().ok());
  }
  ASSERT_TRUE(h.Submit("job", spec).ok());
  Settle(h, agents);
  EXPECT_EQ(h.Phase("job"), v1::ASSEMBLING);
  EXPECT_EQ(agents[0]->tests, 0);
  const auto receipt = ReadReceipt(*h.store, h.Job("job").receipt_id());
  ASSERT_TRUE(receipt.ok()) << receipt.status();
  EXPECT_TRUE(receipt->waived());
}

TEST_F(LifeStory, TestOnlyJob_FinishesWithReceipt) {
  Agents(3);
  v1::StartSelfTestRequest request;
  request.add_nodes("n0");
  request.add_nodes("n2");
  const auto started = h_.Ask<v1::StartSelfTestResponse>(
      [&](Coordinator& c, Reply<v1::StartSelfTestResponse> r) { c.StartSelfTest(request, std::move(r)); });
  ASSERT_TRUE(started.ok()) << started.status();
  const std::string name = started->job().name();
  Settled();
  const v1::Job job = h_.Job(name);
  EXPECT_EQ(job.phase(), v1::FINISHED) << job.why();
  EXPECT_EQ(job.result(), v1::SUCCEEDED) << job.why();
  EXPECT_EQ(ReadReceipt(*h_.store, job.receipt_id())->verdict(), v1::PASS);
  EXPECT_EQ(agents_[1]->tests, 0);
}

}  // namespace
}  // namespace muster::core
