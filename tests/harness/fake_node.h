#pragma once
// A node without processes of its own: registers by the agents' calls, and answers orders as a healthy agent would
// (self-tests by the model of the backend `simulated`). For gangs that are too large to start for real.

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "grpcpp/client_context.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "tests/harness/cluster.h"

namespace muster::harness {

class FakeNode {
 public:
  // Registers, and comes for orders once, without which a node is given to nobody; fails the program if refused.
  // `slots` accelerators; labels for block and rack.
  FakeNode(Cluster& cluster, const NodeSpec& node);
  // Ends Serve.
  ~FakeNode();

  // Polls for orders and answers them, in a thread of its own. Without it the node takes none.
  void Serve();
  // Orders that were answered.
  int served() const { return served_; }
  const std::string& name() const { return name_; }
  const std::string& rack() const { return rack_; }

 private:
  void Register();
  void ComeForOrders();
  void Loop();
  void Answer(const v1::Task& task);

  Cluster& cluster_;
  const std::string name_, rack_;
  v1::RegisterRequest registration_;
  std::atomic<int> served_{0};
  std::atomic<bool> stopping_{false};
  Mutex mu_;
  grpc::ClientContext* polling_ ABSL_GUARDED_BY(mu_) = nullptr;
  std::thread thread_;
};

}  // namespace muster::harness
