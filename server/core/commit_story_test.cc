// Nothing is told before it is durable; what happens while the store fails, the queue is full or the end has come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <sstream>
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

// What is durable stays readable. What the failed turn has changed is shown as the store has it: a submit that was
// refused is no job, a cancel that was refused cancels nothing.
TEST_F(CommitStory, FailingStore_ReadsShowWhatIsDurable) {
  Agents(4);
  Released("old", 2);
  ASSERT_TRUE(h_.Submit("queued", Spec(9)).ok());
  const v1::Job old = h_.Job("old");
  h_.store->FailWith(absl::UnavailableError("disk full"));
  EXPECT_FALSE(h_.Cancel("old").ok());
  EXPECT_EQ(h_.Job("old").phase(), v1::RUNNING);
  EXPECT_EQ(h_.Job("old").revision(), old.revision());
  EXPECT_EQ(h_.Job("queued").phase(), v1::QUEUED);
  EXPECT_FALSE(h_.Submit("more", Spec(2)).ok());
  const auto jobs = h_.Ask<v1::ListJobsResponse>(
      [](Coordinator& c, Reply<v1::ListJobsResponse> reply) { c.ListJobs({}, std::move(reply)); });
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  ASSERT_EQ(jobs->jobs_size(), 2);
  EXPECT_EQ(jobs->jobs(0).phase(), v1::RUNNING);
  const auto nodes = h_.Ask<v1::ListNodesResponse>(
      [](Coordinator& c, Reply<v1::ListNodesResponse> reply) { c.ListNodes({}, std::move(reply)); });
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  ASSERT_EQ(nodes->nodes_size(), 4);
  const auto in_use = [](const v1::Node& node) { return node.use() == v1::ASSIGNED && node.job() == "default/old"; };
  EXPECT_EQ(std::count_if(nodes->nodes().begin(), nodes->nodes().end(), in_use), 2);
  const auto cluster =
      h_.Ask<placement::Cluster>([](Coordinator& c, Reply<placement::Cluster> reply) { c.Snapshot(std::move(reply)); });
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  h_.store->FailWith(absl::OkStatus());
  h_.Advance(absl::Seconds(2));
  EXPECT_NE(h_.Job("old").phase(), v1::RUNNING);
}

TEST_F(CommitStory, RefusedSubmit_IsNotReadNorLogged) {
  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  h_.store->FailWith(absl::UnavailableError("disk full"));
  EXPECT_FALSE(h_.Submit("job", Spec(2)).ok());
  v1::GetJobRequest request;
  request.mutable_job()->set_name("job");
  const auto get = [&] {
    return h_.Ask<v1::Job>([&](Coordinator& c, Reply<v1::Job> reply) { c.GetJob(request, std::move(reply)); });
  };
  EXPECT_EQ(get().status().code(), absl::StatusCode::kUnavailable);
  spdlog::default_logger()->flush();
  EXPECT_THAT(log.str(), testing::Not(HasSubstr("event=submitted")));
  h_.store->FailWith(absl::OkStatus());
  h_.Advance(absl::Seconds(2));
  EXPECT_TRUE(get().ok());
  spdlog::default_logger()->flush();
  EXPECT_THAT(log.str(), HasSubstr("event=submitted job=default/job"));
  spdlog::set_default_logger(before);
}

// Nobody could be heard while the store failed: that is no reason to lose them when it works again.
TEST_F(CommitStory, LongFailure_LosesNoNodeAndNoMember) {
  Agents(2);
  Released("job", 2);
  h_.store->FailWith(absl::UnavailableError("disk full"));
  EXPECT_FALSE(h_.Submit("other", Spec(2)).ok());
  h_.Advance(absl::Minutes(10));
  h_.store->FailWith(absl::OkStatus());
  h_.Advance(absl::Seconds(10));
  EXPECT_EQ(h_.Phase("job"), v1::RUNNING) << h_.Job("job").why();
  EXPECT_EQ(h_.Node("n0").condition(), v1::NODE_OK);
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
