// GetRank through the core, in virtual time: the same bytes, one winner, and answers in time.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using HandshakeStory = Story;

TEST_F(HandshakeStory, RepeatedGetRank_SameBytesAlsoAfterRestart) {
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

TEST_F(HandshakeStory, RacingCallsOfOneIncarnation_OneAnswer) {
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

TEST_F(HandshakeStory, RacingIncarnations_GreatestWinsInAnyOrder) {
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

TEST_F(HandshakeStory, PollEnds_SaysWhyAndMemberCountsAsWaitingUntilRetryPeriod) {
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

TEST_F(HandshakeStory, ZeroPoll_AnswersAtOnce) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  Settled();
  auto call = MembersOf("job")[0].Call(h_, absl::ZeroDuration());
  ASSERT_TRUE(call.done() && call.get().ok());
  EXPECT_TRUE(call.get()->has_not_ready());
}

TEST_F(HandshakeStory, HangUp_EndsTheHeldCall) {
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

}  // namespace
}  // namespace muster::core
