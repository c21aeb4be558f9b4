// The services over real gRPC on loopback, in one process.

#include "server/services/rpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "proto/muster/v1/assignment.pb.h"
#include "proto/muster/v1/job_service.grpc.pb.h"
#include "proto/muster/v1/key_value_service.grpc.pb.h"
#include "proto/muster/v1/node_service.grpc.pb.h"
#include "proto/muster/v1/outcome.pb.h"
#include "proto/muster/v1/receipt_service.grpc.pb.h"
#include "proto/muster/v1/self_test_service.grpc.pb.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"
#include "server/core/system_clock.h"
#include "server/store/memory_store.h"

namespace muster::services {
namespace {

using ::testing::HasSubstr;

// Counts what ended, and lets a test wait for it.
class CountingMetrics final : public RpcMetrics {
 public:
  void Ended(const char* method, absl::StatusCode code, absl::Duration) override {
    MutexLock lock(&mu_);
    ++ended_[{method, code}];
    changed_.NotifyAll();
  }
  void AwaitEnded(const std::string& method, absl::StatusCode code) {
    MutexLock lock(&mu_);
    while (ended_[{method, code}] == 0) changed_.Wait(&mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::map<std::pair<std::string, absl::StatusCode>, int> ended_ ABSL_GUARDED_BY(mu_);
};

v1::OutcomeDetail DetailOf(const grpc::Status& status) {
  v1::StatusDetails details;
  v1::OutcomeDetail detail;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), status.error_code());
  EXPECT_EQ(details.message(), status.error_message());
  if (details.details_size() > 0) {
    EXPECT_TRUE(details.details(0).UnpackTo(&detail));
  }
  return detail;
}

class RpcServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    core::Options options;
    options.may_waive = {"default"};
    store_ = store::MemoryStore::Open(disk_);
    coordinator_ = std::make_unique<core::Coordinator>(clock_, *store_, core_metrics_, Tiers(), options);
    ASSERT_TRUE(coordinator_->Recover().ok());
    coordinator_->Start();
    auto server = RpcServer::Start(*coordinator_, metrics_, "127.0.0.1:0");
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = grpc::CreateChannel(absl::StrCat("127.0.0.1:", server_->port()), grpc::InsecureChannelCredentials());
    jobs_ = v1::JobService::NewStub(channel_);
    workers_ = v1::WorkerService::NewStub(channel_);
    agents_ = v1::AgentService::NewStub(channel_);
    nodes_ = v1::NodeService::NewStub(channel_);
    receipts_ = v1::ReceiptService::NewStub(channel_);
    self_tests_ = v1::SelfTestService::NewStub(channel_);
    values_ = v1::KeyValueService::NewStub(channel_);
  }

  void Register(const std::string& name) {
    v1::RegisterRequest request;
    request.mutable_node()->set_name(name);
    (*request.mutable_node()->mutable_capacity())["gpu"] = 8;
    request.mutable_session()->set_ordinal(1);
    v1::RegisterResponse response;
    grpc::ClientContext context;
    ASSERT_TRUE(agents_->Register(&context, request, &response).ok());
    EXPECT_EQ(response.node_uid(), name);
  }
  v1::SubmitRequest Submission(const std::string& name) {
    v1::SubmitRequest request;
    request.set_name(name);
    request.mutable_spec()->set_members(2);
    request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::NONE);
    return request;
  }
  v1::Job Submit(const std::string& name) {
    v1::SubmitResponse response;
    grpc::ClientContext context;
    const grpc::Status status = jobs_->Submit(&context, Submission(name), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job();
  }
  static v1::GetRankRequest RankRequest(const std::string& job, int32_t index, const std::string& node = "") {
    v1::GetRankRequest request;
    request.mutable_job()->set_name(job);
    request.set_pod_index(index);
    request.mutable_incarnation()->set_ordinal(1);
    request.set_node(node);
    return request;
  }
  // Until some member's call is held.
  void AwaitMember(const std::string& job) {
    v1::GetJobRequest request;
    request.mutable_job()->set_name(job);
    for (v1::Job now; now.members().empty();) {
      grpc::ClientContext context;
      ASSERT_TRUE(jobs_->Get(&context, request, &now).ok());
    }
  }
  // Both members of a placed job of two, released.
  std::vector<v1::GetRankResponse> Release(const v1::Job& job) {
    std::vector<v1::GetRankResponse> responses(2);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        grpc::ClientContext context;
        const grpc::Status status =
            workers_->GetRank(&context, RankRequest(job.name(), i, job.placement().ranks(i).node()), &responses[i]);
        EXPECT_TRUE(status.ok()) << status.error_message();
      });
    for (std::thread& thread : threads) thread.join();
    return responses;
  }
  std::string Dump() {
    std::string dump;
    for (const auto kind :
         {store::Kind::kJob, store::Kind::kNode, store::Kind::kReceipt, store::Kind::kKeyValue, store::Kind::kTest}) {
      const auto records = store_->Load(kind);
      for (const store::Record& record : *records) absl::StrAppend(&dump, record.key, "=", record.value, ";");
    }
    return dump;
  }

  core::SystemClock clock_;
  core::Metrics core_metrics_;
  CountingMetrics metrics_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::MemoryStore> store_;
  std::unique_ptr<core::Coordinator> coordinator_;
  std::unique_ptr<RpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::WorkerService::Stub> workers_;
  std::unique_ptr<v1::AgentService::Stub> agents_;
  std::unique_ptr<v1::NodeService::Stub> nodes_;
  std::unique_ptr<v1::ReceiptService::Stub> receipts_;
  std::unique_ptr<v1::SelfTestService::Stub> self_tests_;
  std::unique_ptr<v1::KeyValueService::Stub> values_;
};

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

TEST_F(RpcServerTest, BadRequests_NameTheFieldAndChangeNothing) {
  Register("n0");
  Register("n1");
  const v1::Job job = Submit("job");
  Release(job);
  const auto ask = [](auto* stub, auto method, const auto& request, auto response) {
    return [stub, method, request, response]() mutable {
      grpc::ClientContext context;
      return (stub->*method)(&context, request, &response);
    };
  };
  const auto submit = [&](const std::function<void(v1::SubmitRequest&)>& spoil) {
    v1::SubmitRequest request = Submission("other");
    spoil(request);
    return ask(jobs_.get(), &v1::JobService::Stub::Submit, request, v1::SubmitResponse());
  };
  const auto rank = [&](const std::function<void(v1::GetRankRequest&)>& spoil) {
    v1::GetRankRequest request = RankRequest("job", 0);
    request.mutable_incarnation()->set_ordinal(2);
    request.mutable_poll();
    spoil(request);
    return ask(workers_.get(), &v1::WorkerService::Stub::GetRank, request, v1::GetRankResponse());
  };
  const auto exit = [&](const std::function<void(v1::ReportExitRequest&)>& spoil) {
    v1::ReportExitRequest request;
    request.mutable_job()->set_name("job");
    request.set_pod_index(0);
    request.mutable_incarnation()->set_ordinal(1);
    request.set_epoch(1);
    spoil(request);
    return ask(workers_.get(), &v1::WorkerService::Stub::ReportExit, request, v1::ReportExitResponse());
  };
  const auto enroll = [&](const std::function<void(v1::RegisterRequest&)>& spoil) {
    v1::RegisterRequest request;
    request.mutable_node()->set_name("n9");
    request.mutable_session()->set_ordinal(1);
    spoil(request);
    return ask(agents_.get(), &v1::AgentService::Stub::Register, request, v1::RegisterResponse());
  };
  const auto quarantine = [&](const std::string& name, const std::string& reason, int64_t seconds) {
    v1::QuarantineRequest request;
    request.set_name(name);
    request.set_reason(reason);
    request.mutable_duration()->set_seconds(seconds);
    return ask(nodes_.get(), &v1::NodeService::Stub::Quarantine, request, v1::Node());
  };
  const auto set = [&](const std::function<void(v1::SetRequest&)>& spoil) {
    v1::SetRequest request;
    request.mutable_scope()->set_job_uid(job.uid());
    request.mutable_scope()->set_epoch(1);
    request.add_pairs()->set_key("k");
    spoil(request);
    return ask(values_.get(), &v1::KeyValueService::Stub::Set, request, v1::SetResponse());
  };
  struct Row {
    std::string name;
    std::function<grpc::Status()> call;
    // Of INVALID_ARGUMENT; empty: another code.
    std::string field;
    grpc::StatusCode code = grpc::INVALID_ARGUMENT;
  };
  v1::GetJobRequest nobody;
  v1::ListJobsRequest page;
  page.set_page_size(5000);
  v1::ListNodesRequest negative_page;
  negative_page.set_page_size(-1);
  v1::CancelJobRequest long_reason;
  long_reason.mutable_job()->set_name("job");
  long_reason.set_reason(std::string(300, 'x'));
  v1::GetReceiptRequest no_receipt;
  v1::AnnotateReceiptRequest big_annotation;
  big_annotation.set_id("rcp-1");
  (*big_annotation.mutable_annotations())["k"] = std::string(5000, 'x');
  v1::StartSelfTestRequest one_node;
  one_node.add_nodes("n0");
  v1::StartSelfTestRequest same_node = one_node;
  same_node.add_nodes("n0");
  v1::WatchGangRequest no_epoch;
  no_epoch.mutable_job()->set_name("job");
  no_epoch.set_pod_index(0);
  no_epoch.mutable_incarnation();
  v1::ReportTaskRequest nothing;
  nothing.set_node_uid("n0");
  nothing.mutable_session()->set_ordinal(1);
  nothing.mutable_mark()->set_job_uid(job.uid());
  v1::NextTaskRequest stranger;
  stranger.set_node_uid("nowhere");
  stranger.mutable_session();
  v1::WaitRequest long_key;
  long_key.mutable_scope()->set_job_uid(job.uid());
  long_key.add_keys(std::string(2000, 'k'));
  v1::WaitRequest both;
  both.mutable_scope()->set_job_uid("j");
  both.mutable_scope()->set_test_id("t");
  both.add_keys("k");

  const std::vector<Row> rows = {
      {"no name", submit([](auto& r) { r.clear_name(); }), "name"},
      {"bad name", submit([](auto& r) { r.set_name("No_Good"); }), "name"},
      {"4 MB name", submit([](auto& r) { r.set_name(std::string(4 << 20, 'a')); }), "name"},
      {"bad namespace", submit([](auto& r) { r.set_namespace_("-x"); }), "namespace"},
      {"no spec", submit([](auto& r) { r.clear_spec(); }), "spec"},
      {"no members", submit([](auto& r) { r.mutable_spec()->set_members(0); }), "spec.members"},
      {"negative members", submit([](auto& r) { r.mutable_spec()->set_members(-5); }), "spec.members"},
      {"too many workers", submit([](auto& r) { r.mutable_spec()->set_workers_per_member(99999); }),
       "spec.workersPerMember"},
      {"long request id", submit([](auto& r) { r.set_request_id(std::string(65, 'x')); }), "request_id"},
      {"long owner", submit([](auto& r) { r.mutable_owner()->set_uid(std::string(129, 'x')); }), "owner.uid"},
      {"name taken", submit([](auto& r) { r.set_name("job"); }), "", grpc::ALREADY_EXISTS},
      {"no job", ask(jobs_.get(), &v1::JobService::Stub::Get, nobody, v1::Job()), "job"},
      {"large page", ask(jobs_.get(), &v1::JobService::Stub::List, page, v1::ListJobsResponse()), "page_size"},
      {"negative page", ask(nodes_.get(), &v1::NodeService::Stub::List, negative_page, v1::ListNodesResponse()),
       "page_size"},
      {"long reason", ask(jobs_.get(), &v1::JobService::Stub::Cancel, long_reason, v1::Job()), "reason"},
      {"unknown job", rank([](auto& r) { r.mutable_job()->set_name("nobody"); }), "", grpc::NOT_FOUND},
      {"no index", rank([](auto& r) { r.clear_pod_index(); }), "pod_index"},
      {"negative index", rank([](auto& r) { r.set_pod_index(-1); }), "pod_index"},
      {"index past the gang", rank([](auto& r) { r.set_pod_index(2); }), "pod_index"},
      {"no incarnation", rank([](auto& r) { r.clear_incarnation(); }), "incarnation"},
      {"long incarnation", rank([](auto& r) { r.mutable_incarnation()->set_uid(std::string(200, 'x')); }),
       "incarnation.uid"},
      {"local rank past the member", rank([](auto& r) { r.set_local_rank(1); }), "local_rank"},
      {"bad port", rank([](auto& r) { r.set_reserved_port(70000); }), "reserved_port"},
      {"other worker count", rank([](auto& r) { r.set_workers(3); }), "workers"},
      {"negative poll", rank([](auto& r) { r.mutable_poll()->set_seconds(-1); }), "poll"},
      {"stale epoch", rank([](auto& r) { r.set_expected_epoch(9); }), "", grpc::FAILED_PRECONDITION},
      {"no epoch", ask(workers_.get(), &v1::WorkerService::Stub::WatchGang, no_epoch, v1::WatchGangResponse()),
       "epoch"},
      {"exit code", exit([](auto& r) { r.set_exit_code(300); }), "exit_code"},
      {"exit without epoch", exit([](auto& r) { r.clear_epoch(); }), "epoch"},
      {"no node name", enroll([](auto& r) { r.mutable_node()->clear_name(); }), "node.name"},
      {"node name with a slash", enroll([](auto& r) { r.mutable_node()->set_name("a/b"); }), "node.name"},
      {"another's name", enroll([](auto& r) { r.mutable_node()->set_name("n0"), r.mutable_node()->set_uid("u"); }),
       "node.name"},
      {"no session", enroll([](auto& r) { r.clear_session(); }), "session"},
      {"negative capacity", enroll([](auto& r) { (*r.mutable_node()->mutable_capacity())["gpu"] = -1; }),
       "node.capacity.gpu"},
      {"long label", enroll([](auto& r) { (*r.mutable_node()->mutable_labels())["k"] = std::string(300, 'x'); }),
       "node.labels.k"},
      {"unregistered", ask(agents_.get(), &v1::AgentService::Stub::NextTask, stranger, v1::NextTaskResponse()), "",
       grpc::FAILED_PRECONDITION},
      {"empty report", ask(agents_.get(), &v1::AgentService::Stub::ReportTask, nothing, v1::ReportTaskResponse()),
       "kind"},
      {"no reason", quarantine("n0", "", 1), "reason"},
      {"negative quarantine", quarantine("n0", "x", -1), "duration"},
      {"no such node", quarantine("n77", "x", 1), "", grpc::NOT_FOUND},
      {"one node", ask(self_tests_.get(), &v1::SelfTestService::Stub::Start, one_node, v1::StartSelfTestResponse()),
       "nodes"},
      {"a node twice",
       ask(self_tests_.get(), &v1::SelfTestService::Stub::Start, same_node, v1::StartSelfTestResponse()), "nodes[1]"},
      {"no receipt id", ask(receipts_.get(), &v1::ReceiptService::Stub::Get, no_receipt, v1::Receipt()), "id"},
      {"large annotation", ask(receipts_.get(), &v1::ReceiptService::Stub::Annotate, big_annotation, v1::Receipt()),
       "annotations.k"},
      {"empty key", set([](auto& r) { r.mutable_pairs(0)->clear_key(); }), "pairs[0].key"},
      {"key twice", set([](auto& r) { r.add_pairs()->set_key("k"); }), "pairs[1].key"},
      {"large value", set([](auto& r) { r.mutable_pairs(0)->set_value(std::string((1 << 20) + 1, 'v')); }),
       "pairs[0].value"},
      {"no scope", set([](auto& r) { r.clear_scope(); }), "scope"},
      {"two scopes", ask(values_.get(), &v1::KeyValueService::Stub::Wait, both, v1::GetResponse()), "scope"},
      {"long key", ask(values_.get(), &v1::KeyValueService::Stub::Wait, long_key, v1::GetResponse()), "keys[0]"},
  };
  const std::string before = Dump();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const grpc::Status status = row.call();
    EXPECT_EQ(status.error_code(), row.code) << status.error_message();
    EXPECT_FALSE(status.error_message().empty());
    EXPECT_LT(status.error_message().size(), 2000u);
    if (status.error_code() == grpc::INVALID_ARGUMENT) {
      EXPECT_EQ(DetailOf(status).field(), row.field) << status.error_message();
      EXPECT_FALSE(DetailOf(status).way_out().empty()) << status.error_message();
    }
  }
  EXPECT_EQ(Dump(), before);
}

}  // namespace
}  // namespace muster::services
