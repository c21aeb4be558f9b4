#pragma once
// The agent's conversation with the coordinator: registered, renewed, re-registered, for ever.
//
// Two threads: one registers and long-polls for tasks, one delivers reports in order. Both outlast any absence of the
// coordinator: they say so once, try again with jittered back-off, and say when it is back.
//
// An agent works for no coordinator of a lower term than it has worked for: that one knows less than was ordered here.
// It says so once and only asks for the term until that has grown; such a node registers with nobody, so nobody takes
// it for a healthy one. Only a restarted agent, which has ended everything, begins with whatever term it meets.

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/agent/pace.h"
#include "client/agent/report_sink.h"
#include "client/rpc/backoff.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/agent_service.grpc.pb.h"

namespace muster::agent {

class Session : public ReportSink {
 public:
  struct Callbacks {
    // Called on the polling thread before the first registration with the term of the coordinator that is met. False:
    // something ordered under a higher term still ends here; asked again until it is true.
    std::function<bool(uint64_t term)> begin;
    // Called on the polling thread. What to register with, and the marks to poll with.
    std::function<std::vector<v1::RegisterRequest::Known>()> known;
    // Returns when the order is durable or refused.
    std::function<void(const v1::Task&)> deliver;
  };

  Session(const std::string& server, v1::NodeInfo node, v1::Incarnation session);
  ~Session() override;

  void Start(Callbacks callbacks);
  // Gives reports that are still to be sent until `deadline`, then ends both threads. Idempotent.
  void Stop(absl::Time deadline);

  void Send(v1::ReportTaskRequest report) override;

 private:
  // A thread's call of the moment, that another may cancel.
  enum class Line { kPolling, kReporting };

  void Poll();
  void Report();
  // Whether the coordinator is one to register with. Asks by a call that makes this agent nobody's node.
  bool Meet();
  void Register();
  void PollOnce();
  void Deliver(v1::ReportTaskRequest report, uint64_t registered_term);

  // Runs `call` until its answer is not one of those that a later try may better; says once that the coordinator is
  // away, and once that it is back. CANCELLED: stopped
  // meanwhile, or the registration was lost.
  absl::Status Persist(Line line, absl::Duration timeout,
                       const std::function<grpc::Status(grpc::ClientContext*)>& call);
  absl::Status CallOnce(Line line, absl::Duration timeout,
                        const std::function<grpc::Status(grpc::ClientContext*)>& call);
  void Say(const absl::Status& status);
  // False: the answer, or error, is of a lower term than an earlier one. 0: it doesn't say.
  bool Current(uint64_t term);
  Pace pace();
  bool Stopped();
  void SleepRefused();
  // False: stopped meanwhile.
  bool Sleep(absl::Duration duration);
  // Also breaks off the poll that waits under it.
  void LoseRegistration() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string server_;
  const v1::NodeInfo node_;
  const v1::Incarnation session_;
  const std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::AgentService::Stub> stub_;
  Callbacks callbacks_;
  // Of the polling thread.
  bool met_ = false;
  Backoff stale_, untaken_, refused_;
  std::string last_refusal_;
  // Of the reporting thread: the first report was answered STALE under an earlier registration.
  bool stale_before_ = false;

  Mutex mu_;
  CondVar changed_;
  std::map<Line, grpc::ClientContext*> calls_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  bool drained_ ABSL_GUARDED_BY(mu_) = false;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool registered_ ABSL_GUARDED_BY(mu_) = false;
  bool lost_ ABSL_GUARDED_BY(mu_) = false;
  // The coordinator was last heard with a lower term than `term_`.
  bool lower_ ABSL_GUARDED_BY(mu_) = false;
  std::string node_uid_ ABSL_GUARDED_BY(mu_);
  uint64_t term_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Duration lease_ ABSL_GUARDED_BY(mu_) = absl::Seconds(30);
  std::deque<v1::ReportTaskRequest> reports_ ABSL_GUARDED_BY(mu_);
  std::thread poller_, reporter_;
};

}  // namespace muster::agent
