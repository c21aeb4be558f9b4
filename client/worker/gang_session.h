#pragma once
// One member's (or worker's) conversation with the coordinator: wait for the rank, watch the gang, report the end.
// Blocking calls for one thread; Stop may be called from another and ends them. Retries what can pass for ever, with
// jitter (outcome.proto's table).

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/rpc/backoff.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/assignment.pb.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"

namespace muster::worker {

struct Identity {
  v1::JobRef job;
  int32_t pod_index = 0;
  v1::Incarnation incarnation;
  std::optional<int32_t> local_rank;  // one call a worker
  std::string node;
  std::string address;
  int32_t reserved_port = 0;
  int32_t workers = 0;
  // Where the command's output is kept, for people; empty: nobody keeps it.
  std::string logs = {};
};

class GangSession {
 public:
  // `progress` is told why there is no rank yet, at most once a change; `trouble` what went wrong and that it goes on
  // trying.
  struct Listener {
    std::function<void(const v1::NotReady&)> progress;
    std::function<void(const absl::Status&)> trouble;
  };

  GangSession(std::shared_ptr<grpc::Channel> channel, std::string server, Identity identity, Listener listener,
              uint64_t seed);

  // Errors are final: their OutcomeDetail says which (superseded, cancelled, …). CANCELLED: Stop was called.
  absl::StatusOr<v1::Assignment> GetRank();
  // Returns when the epoch is over for this member: STOP_AND_REJOIN or STOP_AND_LEAVE. CANCELLED: Stop was called.
  absl::StatusOr<v1::WatchGangResponse> Watch(const v1::Assignment& assignment);
  // Tries for `patience`, then gives up: the lease says the rest.
  absl::Status ReportExit(const v1::Assignment& assignment, int exit_code, bool ordered, absl::Duration patience);

  // Ends GetRank and Watch, now and from now on.
  void Stop();
  // Ends the running Watch only.
  void StopWatching();

  // Of the newest answer.
  uint64_t term() const { return term_; }

 private:
  class Call;
  template <typename Request, typename Response>
  absl::Status Try(grpc::Status (v1::WorkerService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response& response, absl::Duration deadline);
  // False: stopped meanwhile.
  bool Sleep(absl::Duration duration);
  bool stopped();
  bool Fresh(const v1::Envelope& envelope);
  absl::Status FromThePast(const v1::Envelope& envelope) const;
  template <typename Request>
  void Sign(Request& request) const;

  const std::unique_ptr<v1::WorkerService::Stub> stub_;
  const std::string server_;
  const Identity identity_;
  const Listener listener_;
  Backoff backoff_;
  uint64_t term_ = 0;
  // Of the last assignment that GetRank answered; 0: none yet.
  int64_t last_epoch_ = 0;

  Mutex mu_;
  CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  bool watching_stopped_ ABSL_GUARDED_BY(mu_) = false;
  grpc::ClientContext* running_ ABSL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace muster::worker
