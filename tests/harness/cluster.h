#pragma once
// A whole Muster on this machine: the real musterd, real agents that stand for nodes, and the calls that a test makes
// of them.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "proto/muster/v1/job_service.grpc.pb.h"
#include "proto/muster/v1/key_value_service.grpc.pb.h"
#include "proto/muster/v1/node_service.grpc.pb.h"
#include "proto/muster/v1/receipt_service.grpc.pb.h"
#include "proto/muster/v1/self_test_service.grpc.pb.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"
#include "tests/harness/process.h"

namespace muster::harness {

struct NodeSpec {
  std::string name;
  std::string block = "b1";
  std::string rack = "r1";
  int slots = 2;
  std::vector<std::string> flags = {};  // more of muster-agent's
  std::string muster = {};              // the program that members run under; empty: the real one
};

class Cluster {
 public:
  // `server_flags` are added to every start of musterd.
  explicit Cluster(std::vector<std::string> server_flags = {});
  // Ends everything and removes the folder; keeps it where a test has failed, and says where.
  ~Cluster();

  void StartServer();
  // As a power loss would: SIGKILL.
  void KillServer();
  // SIGTERM; its exit code, or -1 if it still runs after `deadline`.
  int StopServer(absl::Duration deadline);
  bool ServerRuns() { return server_ && server_->Running(); }
  pid_t server_pid() const { return server_->pid(); }

  void StartAgent(const NodeSpec& node);
  // SIGKILL; what it started ends with it.
  void KillAgent(const std::string& name);
  // SIGTERM; its exit code, or -1 if it still runs after `deadline`.
  int StopAgent(const std::string& name, absl::Duration deadline);
  // SIGSTOP and SIGCONT, of the agent itself: its children go on.
  void PauseAgent(const std::string& name);
  void ResumeAgent(const std::string& name);
  // Until the server lists that many nodes as ok.
  bool WaitForNodes(int count);

  // host:port, the same over restarts of the server.
  const std::string& address() const { return address_; }
  // Of /metrics; may differ after a restart.
  const std::string& metrics_address() const { return metrics_address_; }
  const std::string& folder() const { return folder_; }

  v1::JobService::Stub& jobs() { return *jobs_; }
  v1::WorkerService::Stub& workers() { return *workers_; }
  v1::NodeService::Stub& nodes() { return *nodes_; }
  v1::ReceiptService::Stub& receipts() { return *receipts_; }
  v1::AgentService::Stub& agents() { return *agents_; }
  v1::SelfTestService::Stub& self_tests() { return *self_tests_; }
  v1::KeyValueService::Stub& key_values() { return *key_values_; }

  // Each retries while the server can't be reached, up to 30 s.
  v1::Job Submit(const v1::SubmitRequest& request);  // aborts on refusal
  absl::Status TrySubmit(const v1::SubmitRequest& request);
  v1::Job Get(const std::string& name);
  v1::Job Cancel(const std::string& name);
  v1::Node GetNode(const std::string& name);
  v1::Receipt GetReceipt(const std::string& id);

  // The job as it was when first seen in `phase`, or past it (finished); the last seen one at the deadline.
  v1::Job WaitForPhase(const std::string& name, v1::Phase phase, absl::Duration deadline = absl::Seconds(60));
  v1::Job WaitForEnd(const std::string& name, absl::Duration deadline = absl::Seconds(90));

  // Everything that musterd and the agents have logged, for messages of failed tests.
  std::string Logs();
  // What the members that this node's agent started have printed.
  std::string MemberOutput(const std::string& node);

 private:
  template <typename Call>
  absl::Status Retrying(Call call);

  const std::vector<std::string> server_flags_;
  const std::string folder_;
  std::string address_;
  std::string metrics_address_;
  std::string listen_ = "127.0.0.1:0";
  std::unique_ptr<Process> server_;
  std::map<std::string, Process> agents_running_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::WorkerService::Stub> workers_;
  std::unique_ptr<v1::NodeService::Stub> nodes_;
  std::unique_ptr<v1::ReceiptService::Stub> receipts_;
  std::unique_ptr<v1::AgentService::Stub> agents_;
  std::unique_ptr<v1::SelfTestService::Stub> self_tests_;
  std::unique_ptr<v1::KeyValueService::Stub> key_values_;
};

// A megatron job of `members` × `workers` that agents launch: `command` runs under `muster exec`.
v1::SubmitRequest AgentJob(const std::string& name, int members, int workers,
                           const std::map<std::string, int64_t>& axes, const std::vector<std::string>& command);

// The same, but somebody else starts the members, and the self-test is waived (musterd needs --may-waive).
v1::SubmitRequest ExternalJob(const std::string& name, int members, int workers,
                              const std::map<std::string, int64_t>& axes);

absl::Status ToAbsl(const grpc::Status& status);

}  // namespace muster::harness
