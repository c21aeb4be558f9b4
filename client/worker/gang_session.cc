#include "client/worker/gang_session.h"

#include <google/protobuf/util/time_util.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/rpc/channel.h"
#include "client/rpc/status.h"
#include "lib/base/errors.h"

namespace muster::worker {
namespace {

// Long poll asked for, and how much longer the call may take before it counts as lost.
constexpr absl::Duration kPoll = absl::Seconds(20);
constexpr absl::Duration kSlack = absl::Seconds(15);

absl::Duration RetryAfter(const absl::Status& status) {
  const absl::optional<v1::OutcomeDetail> detail = DetailOf(status);
  if (!detail || !detail->has_retry_after()) return absl::ZeroDuration();
  return absl::Milliseconds(google::protobuf::util::TimeUtil::DurationToMilliseconds(detail->retry_after()));
}

// Worth another try. CANCELLED counts where we did not cancel: gRPC 1.51 answers so to a call that reaches a server in
// the instant it shuts down.
bool MayPass(const absl::Status& status) { return IsRetryable(status) || absl::IsCancelled(status); }

bool IsStale(const absl::Status& status) {
  const absl::optional<v1::OutcomeDetail> detail = DetailOf(status);
  return detail && detail->outcome() == v1::STALE;
}

}  // namespace

// Registers the context of a running call so that Stop can cancel it.
class GangSession::Call {
 public:
  Call(GangSession& session, grpc::ClientContext& context) : session_(session) {
    MutexLock lock(&session_.mu_);
    session_.running_ = &context;
    if (session_.stopped_ || session_.watching_stopped_) context.TryCancel();
  }
  ~Call() {
    MutexLock lock(&session_.mu_);
    session_.running_ = nullptr;
  }

 private:
  GangSession& session_;
};

GangSession::GangSession(std::shared_ptr<grpc::Channel> channel, std::string server, Identity identity,
                         Listener listener, uint64_t seed)
    : stub_(v1::WorkerService::NewStub(std::move(channel))),
      server_(std::move(server)),
      identity_(std::move(identity)),
      listener_(std::move(listener)),
      backoff_(seed) {}

template <typename Request>
void GangSession::Sign(Request& request) const {
  *request.mutable_job() = identity_.job;
  request.set_pod_index(identity_.pod_index);
  *request.mutable_incarnation() = identity_.incarnation;
  if (identity_.local_rank) request.set_local_rank(*identity_.local_rank);
}

template <typename Request, typename Response>
absl::Status GangSession::Try(grpc::Status (v1::WorkerService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                              Response*),
                              const Request& request, Response& response, absl::Duration deadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(deadline));
  Call call(*this, context);
  return FromGrpc(((*stub_).*method)(&context, request, &response));
}

absl::Status GangSession::FromThePast(const v1::Envelope& envelope) const {
  return absl::FailedPreconditionError(absl::StrCat(
      "the coordinator at ", server_, " is at term ", envelope.term(), ", but this member was told of term ", term_,
      ": it is another one, or its data folder was restored; nothing that it says counts here"));
}

bool GangSession::Fresh(const v1::Envelope& envelope) {
  if (envelope.term() < term_) return false;
  term_ = envelope.term();
  return true;
}

absl::StatusOr<v1::Assignment> GangSession::GetRank() {
  {
    MutexLock lock(&mu_);
    watching_stopped_ = false;
  }
  v1::GetRankRequest request;
  Sign(request);
  request.set_node(identity_.node);
  request.set_address(identity_.address);
  request.set_reserved_port(identity_.reserved_port);
  request.set_workers(identity_.workers);
  request.set_last_epoch(last_epoch_);
  *request.mutable_poll() = google::protobuf::util::TimeUtil::SecondsToDuration(absl::ToInt64Seconds(kPoll));
  backoff_.Reset();
  while (!stopped()) {
    v1::GetRankResponse response;
    const absl::Status status = Try(&v1::WorkerService::Stub::GetRank, request, response, kPoll + kSlack);
    if (stopped()) break;
    if (!status.ok()) {
      if (!MayPass(status) && !IsStale(status)) return status;
      listener_.trouble(absl::IsUnavailable(status) ? CantReach(server_, status) : status);
      if (!Sleep(std::max(RetryAfter(status), backoff_.Next()))) break;
      continue;
    }
    if (!Fresh(response.envelope())) {
      listener_.trouble(FromThePast(response.envelope()));
      if (!Sleep(backoff_.Next())) break;
      continue;
    }
    backoff_.Reset();
    if (response.has_assignment()) {
      v1::Assignment assignment;
      if (!assignment.ParseFromString(response.assignment()))
        return absl::InternalError("the coordinator's assignment is unreadable");
      last_epoch_ = assignment.epoch();
      return assignment;
    }
    listener_.progress(response.not_ready());
    const auto& wait = response.envelope().retry_after();
    if (!Sleep(absl::Milliseconds(google::protobuf::util::TimeUtil::DurationToMilliseconds(wait)))) break;
  }
  return absl::CancelledError("stopped");
}

absl::StatusOr<v1::WatchGangResponse> GangSession::Watch(const v1::Assignment& assignment) {
  {
    MutexLock lock(&mu_);
    watching_stopped_ = false;
  }
  v1::WatchGangRequest request;
  Sign(request);
  request.mutable_job()->set_uid(assignment.job_uid());
  request.set_epoch(assignment.epoch());
  *request.mutable_poll() = google::protobuf::util::TimeUtil::SecondsToDuration(absl::ToInt64Seconds(kPoll));
  backoff_.Reset();
  while (!stopped()) {
    v1::WatchGangResponse response;
    const absl::Status status = Try(&v1::WorkerService::Stub::WatchGang, request, response, kPoll + kSlack);
    if (stopped()) break;
    if (!status.ok()) {
      if (!MayPass(status)) {
        if (IsStale(status)) {
          response.set_order(v1::WatchGangResponse::STOP_AND_REJOIN);
          response.set_why(std::string(status.message()));
          return response;
        }
        return status;
      }
      listener_.trouble(absl::IsUnavailable(status) ? CantReach(server_, status) : status);
      if (!Sleep(std::max(RetryAfter(status), backoff_.Next()))) break;
      continue;
    }
    if (!Fresh(response.envelope())) {
      listener_.trouble(FromThePast(response.envelope()));
      if (!Sleep(backoff_.Next())) break;
      continue;
    }
    backoff_.Reset();
    if (response.order() == v1::WatchGangResponse::STOP_AND_REJOIN ||
        response.order() == v1::WatchGangResponse::STOP_AND_LEAVE) {
      return response;
    }
  }
  return absl::CancelledError("stopped");
}

absl::Status GangSession::ReportExit(const v1::Assignment& assignment, int exit_code, bool ordered,
                                     absl::Duration patience) {
  v1::ReportExitRequest request;
  Sign(request);
  request.mutable_job()->set_uid(assignment.job_uid());
  request.set_epoch(assignment.epoch());
  request.set_exit_code(exit_code);
  request.set_ordered(ordered);
  request.set_logs(identity_.logs);
  const absl::Time until = absl::Now() + patience;
  backoff_.Reset();
  for (;;) {
    // Not through Call: a report must go out also while stopping.
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(std::min(until, absl::Now() + absl::Seconds(5))));
    v1::ReportExitResponse response;
    const absl::Status status = FromGrpc(stub_->ReportExit(&context, request, &response));
    if (status.ok() || !MayPass(status) || absl::Now() >= until) return status;
    absl::SleepFor(std::min(backoff_.Next(), until - absl::Now()));
  }
}

void GangSession::Stop() {
  MutexLock lock(&mu_);
  stopped_ = true;
  if (running_) running_->TryCancel();
  changed_.NotifyAll();
}

void GangSession::StopWatching() {
  MutexLock lock(&mu_);
  watching_stopped_ = true;
  if (running_) running_->TryCancel();
  changed_.NotifyAll();
}

bool GangSession::stopped() {
  MutexLock lock(&mu_);
  return stopped_ || watching_stopped_;
}

bool GangSession::Sleep(absl::Duration duration) {
  const absl::Time until = absl::Now() + duration;
  MutexLock lock(&mu_);
  while (!stopped_ && !watching_stopped_) {
    const absl::Duration left = until - absl::Now();
    if (left <= absl::ZeroDuration()) return true;
    changed_.WaitFor(&mu_, absl::ToChronoNanoseconds(left));
  }
  return false;
}

}  // namespace muster::worker
