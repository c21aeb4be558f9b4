// Nothing is told before it is durable; what happens while the store fails, the queue is full or the end has come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/base/errors.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

using CommitStory = Story;

TEST_F(CommitStory, FailedCommit_TellsNothingRefusesAndRecovers) {
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

TEST_F(CommitStory, NothingIsToldBeforeItIsDurable) {
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

TEST_F(CommitStory, FullQueue_RefusesWithDelay) {
  FakeClock clock;
  auto store = store::MemoryStore::Open(std::make_shared<store::MemoryDisk>());
  Metrics metrics;
  LoopCoordinator coordinator(clock, *store, metrics, Tiers(), Options(), {.capacity = 2});
  ASSERT_TRUE(coordinator.Recover().ok());
  std::vector<Pending<v1::Job>> calls(3);
  for (auto& call : calls) coordinator.GetJob({}, call.reply());
  ASSERT_TRUE(calls[2].done());
  EXPECT_EQ(calls[2].get().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GT(DetailOf(calls[2].get().status())->retry_after().seconds(), 0);
  coordinator.ShutDown();
  for (auto& call : calls) EXPECT_EQ(call.count(), 1);
}

TEST_F(CommitStory, ShutDown_AnswersEveryHeldCall) {
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

}  // namespace
}  // namespace muster::core
