// The whole story of a job through the core, in virtual time.

#include "server/core/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "proto/muster/v1/assignment.pb.h"
#include "server/core/harness.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

class CoordinatorTest : public ::testing::Test {
 protected:
  void Agents(int count, int first = 0) {
    for (int i = first; i < first + count; ++i) {
      agents_.push_back(std::make_unique<FakeAgent>(h_, absl::StrCat("n", i), absl::StrCat("r", i / 2)));
      ASSERT_TRUE(agents_.back()->Register().ok());
    }
  }
  void Settled() { Settle(h_, agents_); }

  // Members of the placed job, each on the node of its rank.
  std::vector<FakeMember> MembersOf(const std::string& name) {
    const v1::Job job = h_.Job(name);
    std::vector<FakeMember> members;
    for (int i = 0; i < job.spec().members(); ++i) {
      FakeMember member;
      member.job.set_name(name);
      member.index = i;
      member.incarnation.set_ordinal(1);
      if (i < job.placement().ranks_size()) member.node = job.placement().ranks(i).node();
      members.push_back(member);
    }
    return members;
  }
  std::vector<Pending<v1::GetRankResponse>> CallAll(const std::vector<FakeMember>& members) {
    std::vector<Pending<v1::GetRankResponse>> calls;
    for (const FakeMember& member : members) calls.push_back(member.Call(h_));
    return calls;
  }
  // A job of `count` members, released.
  std::vector<std::string> Released(const std::string& name, int count) {
    EXPECT_TRUE(h_.Submit(name, Spec(count)).ok());
    Settled();
    members_ = MembersOf(name);
    auto calls = CallAll(members_);
    std::vector<std::string> bytes;
    for (auto& call : calls) {
      EXPECT_TRUE(call.done() && call.get().ok() && call.get()->has_assignment());
      bytes.push_back(call.done() && call.get().ok() ? call.get()->assignment() : "");
    }
    return bytes;
  }

  Harness h_;
  std::vector<std::unique_ptr<FakeAgent>> agents_;
  std::vector<FakeMember> members_;
};

TEST_F(CoordinatorTest, WholeStory_Succeeds) {
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

TEST_F(CoordinatorTest, AgentLaunch_StartsAndEnds) {
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

TEST_F(CoordinatorTest, RepeatedGetRank_SameBytesAlsoAfterRestart) {
  Agents(2);
  const std::vector<std::string> bytes = Released("job", 2);
  auto again = members_[0].Call(h_);
  ASSERT_TRUE(again.done() && again.get().ok());
  EXPECT_EQ(again.get()->assignment(), bytes[0]);
  const uint64_t term = again.get()->envelope().term();
  h_.Start();
  auto after = members_[0].Call(h_);
  ASSERT_TRUE(after.done() && after.get().ok()) << h_.Job("job").why();
  EXPECT_EQ(after.get()->assignment(), bytes[0]);
  EXPECT_GT(after.get()->envelope().term(), term);
  EXPECT_EQ(h_.Phase("job"), v1::RUNNING);
}

TEST_F(CoordinatorTest, RacingCallsOfOneIncarnation_OneAnswer) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  const auto members = MembersOf("job");
  std::vector<Pending<v1::GetRankResponse>> calls;
  for (int i = 0; i < 64; ++i) calls.push_back(members[0].Call(h_));
  auto other = members[1].Call(h_);
  ASSERT_TRUE(other.done());
  for (auto& call : calls) {
    ASSERT_EQ(call.count(), 1);
    ASSERT_TRUE(call.get().ok());
    EXPECT_EQ(call.get()->assignment(), calls[0].get()->assignment());
  }
}

TEST_F(CoordinatorTest, RacingIncarnations_GreatestWinsInAnyOrder) {
  for (int order = 0; order < 3; ++order) {
    Harness h;
    std::vector<std::unique_ptr<FakeAgent>> agents;
    for (int i = 0; i < 2; ++i) {
      agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
      ASSERT_TRUE(agents.back()->Register().ok());
    }
    ASSERT_TRUE(h.Submit("job", Spec(2)).ok());
    Settle(h, agents);
    std::vector<FakeMember> racers(64);
    std::vector<Pending<v1::GetRankResponse>> calls;
    for (int i = 0; i < 64; ++i) {
      racers[i].job.set_name("job");
      racers[i].node = h.Job("job").placement().ranks(0).node();
      racers[i].incarnation.set_ordinal(order == 0 ? i + 1 : order == 1 ? 64 - i : (i * 37) % 64 + 1);
      calls.push_back(racers[i].Call(h));
    }
    FakeMember other;
    other.job.set_name("job");
    other.index = 1;
    other.incarnation.set_ordinal(1);
    other.node = h.Job("job").placement().ranks(1).node();
    auto answer = other.Call(h);
    ASSERT_TRUE(answer.done() && answer.get().ok());
    int won = 0;
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(calls[i].count(), 1) << order << " " << i;
      if (calls[i].get().ok()) {
        ++won;
        EXPECT_EQ(racers[i].incarnation.ordinal(), 64);
      } else {
        EXPECT_EQ(DetailOf(calls[i].get().status())->outcome(), v1::SUPERSEDED);
      }
    }
    EXPECT_EQ(won, 1);
  }
}

TEST_F(CoordinatorTest, PollEnds_SaysWhyAndMemberCountsAsWaitingUntilRetryPeriod) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  const auto members = MembersOf("job");
  auto call = members[0].Call(h_, absl::Seconds(5));
  h_.Advance(absl::Seconds(6));
  ASSERT_TRUE(call.done() && call.get().ok());
  EXPECT_EQ(call.get()->not_ready().members_missing(), 1);
  EXPECT_EQ(call.get()->not_ready().missing_indexes(0), 1);
  EXPECT_EQ(call.get()->not_ready().phase(), v1::ASSEMBLING);
  EXPECT_TRUE(h_.Job("job").members(0).present());
  h_.Advance(h_.options.retry_period + absl::Seconds(1));
  EXPECT_FALSE(h_.Job("job").members(0).present());
}

TEST_F(CoordinatorTest, ZeroPoll_AnswersAtOnce) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  auto call = MembersOf("job")[0].Call(h_, absl::ZeroDuration());
  ASSERT_TRUE(call.done() && call.get().ok());
  EXPECT_TRUE(call.get()->has_not_ready());
}

TEST_F(CoordinatorTest, HangUp_EndsTheHeldCall) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  v1::GetRankRequest request;
  request.mutable_job()->set_name("job");
  request.set_pod_index(0);
  request.mutable_incarnation()->set_ordinal(1);
  request.set_node(MembersOf("job")[0].node);
  Pending<v1::GetRankResponse> call;
  const CallId id = h_.coordinator->NewCall();
  h_.coordinator->GetRank(id, request, absl::Seconds(20), call.reply());
  h_.Run();
  h_.coordinator->Abandon(id);
  h_.Run();
  ASSERT_EQ(call.count(), 1);
  EXPECT_EQ(call.get().status().code(), absl::StatusCode::kCancelled);
  h_.Advance(absl::Seconds(61));
  EXPECT_EQ(call.count(), 1);
}

TEST_F(CoordinatorTest, TwoJobs_SecondWaitsAndThenRuns) {
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

TEST_F(CoordinatorTest, Never_FailsAtOnceWithReason) {
  Agents(1);
  v1::JobSpec spec = Spec(2);
  spec.mutable_placement()->set_required("no-such-tier");
  ASSERT_TRUE(h_.Submit("job", spec).ok());
  const v1::Job job = h_.Job("job");
  EXPECT_EQ(job.phase(), v1::FINISHED);
  EXPECT_EQ(job.result(), v1::FAILED);
  EXPECT_THAT(job.why(), HasSubstr("no-such-tier"));
}

TEST_F(CoordinatorTest, SlowStop_HoldsTheNodeBack) {
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

TEST_F(CoordinatorTest, UnconfirmedStop_QuarantinesWithoutExpiryUntilConfirmed) {
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

TEST_F(CoordinatorTest, AccusedNode_IsQuarantinedAndSpareTakesOver) {
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

TEST_F(CoordinatorTest, LostAgent_LosesItsNodeAndComesBack) {
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

TEST_F(CoordinatorTest, QuarantineReadmitDrain) {
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

TEST_F(CoordinatorTest, LostLease_RepairsAfterGrace) {
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

TEST_F(CoordinatorTest, FailedExit_RejoinGivesNewEpoch) {
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

TEST_F(CoordinatorTest, Restart_InEveryPhase_GoesOn) {
  struct Row {
    const char* name;
    v1::Phase phase;
  };
  for (const Row& row : {Row{"queued", v1::QUEUED}, Row{"testing", v1::TESTING}, Row{"assembling", v1::ASSEMBLING},
                         Row{"running", v1::RUNNING}, Row{"stopping", v1::STOPPING}, Row{"finished", v1::FINISHED}}) {
    SCOPED_TRACE(row.name);
    Harness h;
    std::vector<std::unique_ptr<FakeAgent>> agents;
    for (int i = 0; i < 2; ++i) agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
    const auto enroll = [&] {
      for (auto& agent : agents) ASSERT_TRUE(agent->Register().ok());
    };
    const auto at = [&](v1::Phase phase) {
      if (phase != row.phase) return;
      EXPECT_EQ(h.Phase("job"), phase) << h.Job("job").why();
      h.Start();
    };
    ASSERT_TRUE(h.Submit("job", Spec(2, v1::LaunchSpec::AGENT)).ok());
    at(v1::QUEUED);
    enroll();
    at(v1::TESTING);
    Settle(h, agents);
    at(v1::ASSEMBLING);
    std::vector<FakeMember> members;
    for (auto& agent : agents) {
      ASSERT_EQ(agent->members.size(), 1u) << h.Job("job").why();
      FakeMember member;
      member.job.set_name("job");
      member.index = agent->members.begin()->first;
      member.incarnation = agent->members.begin()->second;
      member.node = agent->info.name();
      members.push_back(member);
    }
    std::vector<std::string> bytes;
    for (auto& member : members) (void)member.Call(h);
    for (auto& member : members) {
      auto call = member.Call(h);
      ASSERT_TRUE(call.done() && call.get().ok()) << h.Job("job").why();
      bytes.push_back(call.get()->assignment());
    }
    at(v1::RUNNING);
    for (size_t i = 0; i < members.size(); ++i) {
      auto call = members[i].Call(h);
      ASSERT_TRUE(call.done() && call.get().ok());
      EXPECT_EQ(call.get()->assignment(), bytes[i]);
    }
    Settle(h, agents);
    EXPECT_EQ(agents[0]->starts, 1);
    for (auto& agent : agents) agent->confirms = false;
    ASSERT_TRUE(h.Cancel("job").ok());
    Settle(h, agents);
    at(v1::STOPPING);
    for (auto& agent : agents) {
      agent->confirms = true;
      agent->ReportEnded(agent->seen.begin()->second);
    }
    Settle(h, agents);
    at(v1::FINISHED);
    EXPECT_EQ(h.Job("job").result(), v1::RESULT_CANCELLED);
    EXPECT_EQ(h.Node("n0").use(), v1::FREE);
  }
}

TEST_F(CoordinatorTest, RestartWithReportsHalfIn_TestGoesOn) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  agents_[0]->Turn();
  EXPECT_EQ(h_.Phase("job"), v1::TESTING);
  h_.Start();
  agents_[1]->Turn();
  agents_[0]->Turn();
  EXPECT_EQ(agents_[0]->tests, 1);
  EXPECT_EQ(h_.Phase("job"), v1::ASSEMBLING) << h_.Job("job").why();
}

TEST_F(CoordinatorTest, Cancel_InEveryPhase_Ends) {
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

TEST_F(CoordinatorTest, Submit_SameRequestIdIsOneJobAlsoAfterRestart) {
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

TEST_F(CoordinatorTest, Waiver_OnlyWhereAllowed) {
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

TEST_F(CoordinatorTest, FailedCommit_TellsNothingRefusesAndRecovers) {
  Agents(2);
  const std::vector<std::string> bytes = Released("old", 2);
  h_.store->FailWith(absl::UnavailableError("disk full"));
  const auto refused = h_.Submit("job", Spec(2));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("disk full"));
  auto again = members_[0].Call(h_);
  ASSERT_TRUE(again.done() && again.get().ok());
  EXPECT_EQ(again.get()->assignment(), bytes[0]);
  EXPECT_EQ(h_.Submit("other", Spec(2)).status().code(), absl::StatusCode::kUnavailable);
  h_.store->FailWith(absl::OkStatus());
  h_.Advance(absl::Seconds(2));
  EXPECT_EQ(h_.Job("job").phase(), v1::QUEUED);
  EXPECT_TRUE(h_.Submit("other", Spec(2)).ok());
}

TEST_F(CoordinatorTest, NothingIsToldBeforeItIsDurable) {
  Harness h({}, store::MemoryStore::Mode::kByHand);
  v1::SubmitRequest request;
  request.set_name("job");
  *request.mutable_spec() = Spec(2);
  Pending<v1::SubmitResponse> pending;
  h.coordinator->Submit(request, pending.reply());
  h.Run();
  EXPECT_FALSE(pending.done());
  h.store->Flush();
  h.Run();
  EXPECT_TRUE(pending.done() && pending.get().ok());
  Pending<v1::SubmitResponse> lost;
  request.set_name("job-2");
  h.coordinator->Submit(request, lost.reply());
  h.Run();
  h.Start();
  h.store->Flush();
  h.Run();
  EXPECT_EQ(h.Job("job-2").uid(), "");
  EXPECT_FALSE(h.Job("job").uid().empty());
}

TEST_F(CoordinatorTest, FullQueue_RefusesWithDelay) {
  FakeClock clock;
  auto store = store::MemoryStore::Open(std::make_shared<store::MemoryDisk>());
  Metrics metrics;
  Coordinator coordinator(clock, *store, metrics, Tiers(), Options(), {.capacity = 2});
  ASSERT_TRUE(coordinator.Recover().ok());
  std::vector<Pending<v1::Job>> calls(3);
  for (auto& call : calls) coordinator.GetJob({}, call.reply());
  ASSERT_TRUE(calls[2].done());
  EXPECT_EQ(calls[2].get().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GT(DetailOf(calls[2].get().status())->retry_after().seconds(), 0);
  coordinator.ShutDown();
  for (auto& call : calls) EXPECT_EQ(call.count(), 1);
}

TEST_F(CoordinatorTest, ShutDown_AnswersEveryHeldCall) {
  Agents(2);
  Released("job", 2);
  auto watch = members_[0].Watch(h_, 1);
  ASSERT_TRUE(h_.Submit("next", Spec(2)).ok());
  auto call = MembersOf("next")[0].Call(h_);
  h_.coordinator->ShutDown();
  ASSERT_EQ(watch.count(), 1);
  EXPECT_EQ(watch.get().status().code(), absl::StatusCode::kUnavailable);
  ASSERT_EQ(call.count(), 1);
  EXPECT_EQ(call.get().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(CoordinatorTest, FinishedJobs_ArePruned) {
  Options options;
  options.keep_finished = 5;
  Harness h(options);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(h.Submit(absl::StrCat("job-", i), Spec(2)).ok());
    ASSERT_TRUE(h.Cancel(absl::StrCat("job-", i)).ok());
  }
  EXPECT_LE(h.store->Load(store::Kind::kJob)->size(), 7u);
  EXPECT_EQ(h.Job("job-0").uid(), "");
  EXPECT_FALSE(h.Job("job-49").uid().empty());
}

TEST_F(CoordinatorTest, TestOnlyJob_FinishesWithReceipt) {
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
