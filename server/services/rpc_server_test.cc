// The services over real gRPC on loopback, in one process.

#include "server/services/rpc_server.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/muster/v1/assignment.pb.h"
#include "server/services/rpc_fixture.h"

namespace muster::services {
namespace {

using RpcServerTest = RpcFixture;

TEST_F(RpcServerTest, SubmitGetListCancel) {
  const v1::Job submitted = Submit("llama");
  EXPECT_FALSE(submitted.uid().empty());
  v1::GetJobRequest get;
  get.mutable_job()->set_uid(submitted.uid());
  v1::Job job;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(jobs_->Get(&context, get, &job).ok());
    EXPECT_EQ(job.name(), "llama");
    EXPECT_EQ(job.phase(), v1::QUEUED);
    EXPECT_FALSE(job.why().empty());
  }
  v1::ListJobsResponse list;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(jobs_->List(&context, {}, &list).ok());
    EXPECT_EQ(list.jobs_size(), 1);
  }
  v1::CancelJobRequest cancel;
  *cancel.mutable_job() = get.job();
  {
    grpc::ClientContext context;
    ASSERT_TRUE(jobs_->Cancel(&context, cancel, &job).ok());
    EXPECT_EQ(job.result(), v1::RESULT_CANCELLED);
  }
  get.mutable_job()->set_uid("job-none");
  grpc::ClientContext context;
  const grpc::Status status = jobs_->Get(&context, get, &job);
  EXPECT_EQ(status.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(DetailOf(status).outcome(), v1::UNKNOWN_JOB);
  EXPECT_EQ(DetailOf(status).term(), 1u);
}

TEST_F(RpcServerTest, GetRank_SameBytesWhenRepeated) {
  Register("n0");
  Register("n1");
  const v1::Job job = Submit("job");
  ASSERT_EQ(job.placement().ranks_size(), 2) << job.why();
  const auto first = Release(job);
  const auto again = Release(job);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(first[i].has_assignment());
    EXPECT_EQ(first[i].assignment(), again[i].assignment());
    EXPECT_LT(first[i].assignment().size(), 2048u);
  }
}

TEST_F(RpcServerTest, GetRank_HangUpEndsTheHeldCall) {
  Register("n0");
  Register("n1");
  const v1::Job job = Submit("job");
  grpc::ClientContext context;
  v1::GetRankResponse response;
  const v1::GetRankRequest request = RankRequest("job", 0, job.placement().ranks(0).node());
  Mutex mu;
  CondVar changed;
  bool done = false;
  workers_->async()->GetRank(&context, &request, &response, [&](const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::CANCELLED);
    MutexLock lock(&mu);
    done = true;
    changed.NotifyAll();
  });
  AwaitMember("job");
  context.TryCancel();
  metrics_.AwaitEnded("WorkerService/GetRank", absl::StatusCode::kCancelled);
  MutexLock lock(&mu);
  while (!done) changed.Wait(&mu);
}

TEST_F(RpcServerTest, Watch_FollowsToTheEnd) {
  Submit("job");
  v1::WatchJobRequest request;
  request.mutable_job()->set_name("job");
  grpc::ClientContext context;
  auto stream = jobs_->Watch(&context, request);
  v1::Job job;
  ASSERT_TRUE(stream->Read(&job));
  EXPECT_EQ(job.phase(), v1::QUEUED);
  v1::CancelJobRequest cancel;
  cancel.mutable_job()->set_name("job");
  grpc::ClientContext cancel_context;
  v1::Job cancelled;
  ASSERT_TRUE(jobs_->Cancel(&cancel_context, cancel, &cancelled).ok());
  while (stream->Read(&job)) {
  }
  EXPECT_EQ(job.phase(), v1::FINISHED);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(RpcServerTest, ShutDown_EndsHeldCallsAtOnce) {
  Register("n0");
  Register("n1");
  const v1::Job placed = Submit("job");
  v1::WatchJobRequest watch;
  watch.mutable_job()->set_name("job");
  grpc::ClientContext watch_context;
  auto stream = jobs_->Watch(&watch_context, watch);
  v1::Job job;
  ASSERT_TRUE(stream->Read(&job));
  std::thread member([&] {
    grpc::ClientContext context;
    v1::GetRankResponse response;
    EXPECT_EQ(
        workers_->GetRank(&context, RankRequest("job", 0, placed.placement().ranks(0).node()), &response).error_code(),
        grpc::UNAVAILABLE);
  });
  AwaitMember("job");
  const absl::Time began = absl::Now();
  server_->ShutDown(absl::Seconds(2));
  member.join();
  while (stream->Read(&job)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::UNAVAILABLE);
  EXPECT_LT(absl::Now() - began, absl::Seconds(5));
}

TEST_F(RpcServerTest, KeyValues_OfTheEpoch) {
  Register("n0");
  Register("n1");
  const v1::Job job = Submit("job");
  const auto released = Release(job);
  v1::Assignment assignment;
  ASSERT_TRUE(assignment.ParseFromString(released[0].assignment()));
  v1::Scope scope;
  scope.set_job_uid(assignment.job_uid());
  scope.set_epoch(assignment.epoch());
  v1::WaitRequest wait;
  *wait.mutable_scope() = scope;
  wait.add_keys("id");
  v1::GetResponse waited;
  std::thread waiter([&] {
    grpc::ClientContext context;
    EXPECT_TRUE(values_->Wait(&context, wait, &waited).ok());
  });
  v1::SetRequest set;
  *set.mutable_scope() = scope;
  set.add_pairs()->set_key("id");
  set.mutable_pairs(0)->set_value(std::string(128, '\x7f'));
  v1::SetResponse done;
  grpc::ClientContext context;
  EXPECT_TRUE(values_->Set(&context, set, &done).ok());
  waiter.join();
  EXPECT_EQ(waited.entries(0).value(), set.pairs(0).value());
  scope.set_epoch(7);
  *set.mutable_scope() = scope;
  grpc::ClientContext stale;
  EXPECT_EQ(DetailOf(values_->Set(&stale, set, &done)).outcome(), v1::STALE);
}

TEST_F(RpcServerTest, PlanAndExplain) {
  Register("n0");
  v1::PlanRequest plan;
  plan.mutable_spec()->set_members(1);
  v1::PlanResponse planned;
  {
    grpc::ClientContext context;
    const grpc::Status status = jobs_->Plan(&context, plan, &planned);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(planned.explanation().feasibility(), v1::OK);
  }
  plan.mutable_spec()->set_members(3);
  for (const char* name : {"a", "b", "c"}) plan.add_nodes()->set_name(name);
  for (auto& node : *plan.mutable_nodes()) (*node.mutable_capacity())["gpu"] = 1;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(jobs_->Plan(&context, plan, &planned).ok());
    EXPECT_EQ(planned.explanation().placement().ranks_size(), 3);
  }
  Submit("job");
  v1::ExplainRequest explain;
  explain.mutable_job()->set_name("job");
  v1::Explanation explanation;
  grpc::ClientContext context;
  ASSERT_TRUE(jobs_->Explain(&context, explain, &explanation).ok());
  EXPECT_FALSE(explanation.summary().empty());
}

}  // namespace
}  // namespace muster::services
