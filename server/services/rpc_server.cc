#include "server/services/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/services/agent_service.h"
#include "server/services/job_service.h"
#include "server/services/key_value_service.h"
#include "server/services/node_service.h"
#include "server/services/receipt_service.h"
#include "server/services/self_test_service.h"
#include "server/services/side_thread.h"
#include "server/services/worker_service.h"

namespace muster::services {
namespace {

// A job file with a long permutation, or a large gang's view; past it callers get RESOURCE_EXHAUSTED.
constexpr int kLargestRequest = 16 << 20;

class Impl final : public RpcServer {
 public:
  Impl(core::Coordinator& coordinator, RpcMetrics& metrics)
      : backend_{coordinator, metrics},
        jobs_(backend_, side_),
        workers_(backend_),
        agents_(backend_),
        nodes_(backend_),
        receipts_(backend_, side_),
        self_tests_(backend_),
        key_values_(backend_) {}
  ~Impl() override { ShutDown(absl::ZeroDuration()); }

  absl::Status Listen(const std::string& address) {
    static std::once_flag plugins;
    std::call_once(plugins, [] {
      grpc::EnableDefaultHealthCheckService(true);
      grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    });
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
    // A port that is taken must be refused, not shared.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(kLargestRequest);
    // Long polls are quiet for up to a minute: clients may ping that often; dead peers are noticed in under a minute.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    for (grpc::Service* service : std::initializer_list<grpc::Service*>{&jobs_, &workers_, &agents_, &nodes_,
                                                                        &receipts_, &self_tests_, &key_values_})
      builder.RegisterService(service);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      server_ = nullptr;
      return absl::UnavailableError(
          absl::StrCat("can't listen on ", address, ": taken, or not an address of this machine"));
    }
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void ShutDown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    server_->GetHealthCheckService()->SetServingStatus(false);
    // Held calls end now, so that gRPC has nothing to wait for.
    backend_.coordinator.ShutDown();
    side_.Stop();
    server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(grace));
    server_->Wait();
    server_ = nullptr;
  }

 private:
  Backend backend_;
  SideThread side_;
  JobService jobs_;
  WorkerService workers_;
  AgentService agents_;
  NodeService nodes_;
  ReceiptService receipts_;
  SelfTestService self_tests_;
  KeyValueService key_values_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;  // last: its threads use all of the above
};

}  // namespace

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(core::Coordinator& coordinator, RpcMetrics& metrics,
                                                            const std::string& address) {
  auto server = std::make_unique<Impl>(coordinator, metrics);
  if (absl::Status status = server->Listen(address); !status.ok()) return status;
  return server;
}

}  // namespace muster::services
