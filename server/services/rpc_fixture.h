#pragma once
// What the tests of the services begin with: a coordinator in memory behind a real gRPC server on loopback.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "proto/muster/v1/job_service.grpc.pb.h"
#include "proto/muster/v1/key_value_service.grpc.pb.h"
#include "proto/muster/v1/node_service.grpc.pb.h"
#include "proto/muster/v1/outcome.pb.h"
#include "proto/muster/v1/receipt_service.grpc.pb.h"
#include "proto/muster/v1/self_test_service.grpc.pb.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"
#include "server/core/loop_coordinator.h"
#include "server/core/system_clock.h"
#include "server/services/rpc_server.h"
#include "server/store/memory_store.h"

namespace muster::services {

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

inline v1::OutcomeDetail DetailOf(const grpc::Status& status) {
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

class RpcFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    core::Options options;
    options.may_waive = {"default"};
    store_ = store::MemoryStore::Open(disk_);
    coordinator_ = std::make_unique<core::LoopCoordinator>(clock_, *store_, core_metrics_, Tiers(), options);
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
    // The node is lost until its agent comes for orders.
    v1::NextTaskRequest orders;
    orders.set_node_uid(name);
    *orders.mutable_session() = request.session();
    orders.mutable_poll();
    v1::NextTaskResponse none;
    grpc::ClientContext polling;
    ASSERT_TRUE(agents_->NextTask(&polling, orders, &none).ok());
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
  std::unique_ptr<core::LoopCoordinator> coordinator_;
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

}  // namespace muster::services
