// The peer of handshake_benchmark: a gRPC server that does nothing but hold GetRank calls until N are there, then
// answers them all with bytes of a real assignment's size. What Muster's time is divided by.
//   bare_server N BYTES PORT_FILE

#include <grpcpp/grpcpp.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"

namespace muster {
namespace {

class BareService final : public v1::WorkerService::CallbackService {
 public:
  BareService(size_t wanted, size_t bytes) : wanted_(wanted), answer_(bytes, 'x') {}

  grpc::ServerUnaryReactor* GetRank(grpc::CallbackServerContext* context, const v1::GetRankRequest*,
                                    v1::GetRankResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    response->set_assignment(answer_);
    std::vector<grpc::ServerUnaryReactor*> complete;
    {
      MutexLock lock(&mu_);
      held_.push_back(reactor);
      if (held_.size() == wanted_) complete.swap(held_);
    }
    for (grpc::ServerUnaryReactor* one : complete) one->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  const size_t wanted_;
  const std::string answer_;
  Mutex mu_;
  std::vector<grpc::ServerUnaryReactor*> held_ ABSL_GUARDED_BY(mu_);
};

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  muster::BareService service(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port == 0) return 1;
  std::ofstream(argv[3]) << port << "\n";
  int signal = 0;
  sigwait(&set, &signal);
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
}
