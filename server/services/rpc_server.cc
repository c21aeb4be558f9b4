#include "server/services/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/time/clock.h"
#include "server/net/acceptor.h"
#include "server/net/listening.h"
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
// A crowd that is refused is told of no more often than this.
constexpr absl::Duration kTellEvery = absl::Seconds(10);

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
    absl::StatusOr<net::Listening> listening = net::Listening::At(address);
    if (!listening.ok()) return listening.status();
    grpc::ServerBuilder builder;
    using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
    into_ = builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, grpc::InsecureServerCredentials());
    builder.SetMaxReceiveMessageSize(kLargestRequest);
    // Long polls are quiet for up to a minute: clients may ping that often; dead peers are noticed in under a minute.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    // A connection on which nobody speaks HTTP/2, or nothing is called, is given to others.
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20'000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 600'000);
    for (grpc::Service* service : std::initializer_list<grpc::Service*>{&jobs_, &workers_, &agents_, &nodes_,
                                                                        &receipts_, &self_tests_, &key_values_})
      builder.RegisterService(service);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return absl::UnavailableError("gRPC's server did not start; its log says why");
    acceptor_ = std::make_unique<net::Acceptor>(
        *std::move(listening),
        net::Acceptor::Options{.on_refused =
                                   [this](int64_t refused) {
                                     backend_.metrics.ConnectionRefused();
                                     Crowded(refused, "no descriptors are left for it; raise the limit: ulimit -Hn");
                                   },
                               .on_starved = [this](int error) { Crowded(0, std::strerror(error)); }});
    acceptor_->Start([this](int listener_fd, int fd) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.listener_fd = listener_fd;
      connection.fd = fd;
      into_->HandleNewConnection(&connection);
    });
    return absl::OkStatus();
  }

  int port() const override { return acceptor_->port(); }

  void ShutDown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    acceptor_->Stop();
    server_->GetHealthCheckService()->SetServingStatus(false);
    // Held calls end now, so that gRPC has nothing to wait for.
    backend_.coordinator.ShutDown();
    side_.Stop();
    server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(grace));
    server_->Wait();
    server_ = nullptr;
  }

 private:
  // On the acceptor's thread.
  void Crowded(int64_t refused, const char* why) {
    if (absl::Now() < told_ + kTellEvery) return;
    told_ = absl::Now();
    spdlog::warn("event=connections_refused so_far={} open_files={} why=\"{}\"", refused, acceptor_->limit(), why);
  }

  Backend backend_;
  absl::Time told_ = absl::InfinitePast();
  SideThread side_;
  JobService jobs_;
  WorkerService workers_;
  AgentService agents_;
  NodeService nodes_;
  ReceiptService receipts_;
  SelfTestService self_tests_;
  KeyValueService key_values_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> into_;
  std::unique_ptr<grpc::Server> server_;     // its threads use all of the above
  std::unique_ptr<net::Acceptor> acceptor_;  // and this one's the server
};

}  // namespace

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(core::Coordinator& coordinator, RpcMetrics& metrics,
                                                            const std::string& address) {
  auto server = std::make_unique<Impl>(coordinator, metrics);
  if (absl::Status status = server->Listen(address); !status.ok()) return status;
  return server;
}

}  // namespace muster::services
