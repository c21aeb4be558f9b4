#include "client/agent/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/rpc/backoff.h"
#include "client/rpc/channel.h"
#include "client/rpc/status.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

constexpr absl::Duration kCall = absl::Seconds(10);
constexpr absl::Duration kLongestPoll = absl::Seconds(20);
constexpr absl::Duration kSlack = absl::Seconds(5);

std::string Text(const absl::Status& status) { return std::string(status.message()); }

absl::Duration RetryAfter(const absl::Status& status) {
  const auto detail = DetailOf(status);
  return detail && detail->has_retry_after() ? FromProto(detail->retry_after()) : absl::ZeroDuration();
}

std::chrono::nanoseconds Nanoseconds(absl::Duration duration) {
  return absl::ToChronoNanoseconds(std::clamp(duration, absl::ZeroDuration(), absl::Hours(1)));
}

bool IsStale(const absl::Status& status) {
  if (!absl::IsFailedPrecondition(status)) return false;
  const auto detail = DetailOf(status);
  return !detail || detail->outcome() == v1::STALE;
}

}  // namespace

Session::Session(const std::string& server, v1::NodeInfo node, v1::Incarnation session)
    : server_(server),
      node_(std::move(node)),
      session_(std::move(session)),
      stub_(v1::AgentService::NewStub(Connect(server))),
      stale_(std::random_device{}(), absl::Milliseconds(100)) {}

Session::~Session() { Stop(absl::InfinitePast()); }

void Session::Start(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  poller_ = std::thread([this] { Poll(); });
  reporter_ = std::thread([this] { Report(); });
}

void Session::Stop(absl::Time deadline) {
  {
    MutexLock lock(&mu_);
    draining_ = true;
    changed_.NotifyAll();
    while (reporter_.joinable() && !drained_ && absl::Now() < deadline) {
      changed_.WaitFor(&mu_, Nanoseconds(deadline - absl::Now()));
    }
    stopped_ = true;
    for (auto& [line, call] : calls_) call->TryCancel();
    changed_.NotifyAll();
  }
  if (poller_.joinable()) poller_.join();
  if (reporter_.joinable()) reporter_.join();
}

bool Session::Stopped() {
  MutexLock lock(&mu_);
  return stopped_;
}

bool Session::Sleep(absl::Duration duration) {
  const absl::Time until = absl::Now() + duration;
  MutexLock lock(&mu_);
  while (!stopped_ && absl::Now() < until) changed_.WaitFor(&mu_, Nanoseconds(until - absl::Now()));
  return !stopped_;
}

void Session::Send(v1::ReportTaskRequest report) {
  MutexLock lock(&mu_);
  reports_.push_back(std::move(report));
  changed_.NotifyAll();
}

void Session::Poll() {
  while (!Stopped()) {
    bool registered;
    {
      MutexLock lock(&mu_);
      registered = registered_;
    }
    if (registered) {
      PollOnce();
    } else {
      Register();
    }
  }
}

void Session::Register() {
  v1::RegisterResponse response;
  const absl::Status status = Persist(Line::kPolling, kCall, [&](grpc::ClientContext* context) {
    v1::RegisterRequest request;
    *request.mutable_node() = node_;
    *request.mutable_session() = session_;
    for (auto& known : callbacks_.known()) *request.add_known() = std::move(known);
    response.Clear();
    return stub_->Register(context, request, &response);
  });
  if (Stopped()) return;
  if (!status.ok()) {
    spdlog::error("{} does not take node {}: {}; trying again in 10 s", server_, node_.name(), Text(status));
    Sleep(absl::Seconds(10));
    return;
  }
  if (!Current(response.envelope())) return;
  spdlog::info("registered node {} with {}, term {}", node_.name(), server_, response.envelope().term());
  MutexLock lock(&mu_);
  node_uid_ = response.node_uid();
  if (response.has_lease()) lease_ = FromProto(response.lease());
  registered_ = true;
  changed_.NotifyAll();
}

void Session::PollOnce() {
  v1::NextTaskRequest request;
  absl::Duration poll;
  {
    MutexLock lock(&mu_);
    request.set_node_uid(node_uid_);
    // Under half the lease, so that one lost call does not lose the node.
    poll = std::clamp(lease_ / 3, absl::Milliseconds(100), kLongestPoll);
  }
  *request.mutable_session() = session_;
  *request.mutable_poll() = ToProto(poll);
  for (const v1::RegisterRequest::Known& known : callbacks_.known()) *request.add_seen() = known.mark();
  v1::NextTaskResponse response;
  const absl::Status status = Persist(Line::kPolling, poll + kSlack, [&](grpc::ClientContext* context) {
    response.Clear();
    return stub_->NextTask(context, request, &response);
  });
  if (Stopped()) return;
  if (!status.ok()) {
    // STALE: the coordinator has started anew or knows a newer session. What else it may say, registering tells more.
    if (!absl::IsCancelled(status)) spdlog::info("registering again: {}", Text(status));
    LoseRegistration();
    Sleep(stale_.Next());
    return;
  }
  stale_.Reset();
  if (!Current(response.envelope())) return;
  for (const v1::Task& task : response.tasks()) {
    if (Stopped()) return;
    callbacks_.deliver(task);
  }
  // What could not be taken (a full disk, an agent that stops) comes again at once: not faster than this.
  std::map<std::string, uint64_t> taken;
  for (const v1::RegisterRequest::Known& known : callbacks_.known()) {
    taken[known.mark().job_uid()] = known.mark().number();
  }
  for (const v1::Task& task : response.tasks()) {
    if (taken[task.mark().job_uid()] < task.mark().number()) {
      Sleep(absl::Milliseconds(300));
      return;
    }
  }
}

void Session::LoseRegistration() {
  MutexLock lock(&mu_);
  registered_ = false;
}

bool Session::Current(const v1::Envelope& envelope) {
  MutexLock lock(&mu_);
  if (envelope.term() < term_) {
    spdlog::warn("dropped an answer of term {}; {} is the present one", envelope.term(), term_);
    return false;
  }
  // A new term is a coordinator that may not know this session.
  if (envelope.term() > term_ && registered_) registered_ = false;
  term_ = envelope.term();
  return true;
}

void Session::Report() {
  while (true) {
    v1::ReportTaskRequest report;
    {
      MutexLock lock(&mu_);
      while (!stopped_ && !(registered_ && !reports_.empty()) && !(draining_ && reports_.empty())) {
        changed_.Wait(&mu_);
      }
      if (stopped_ || reports_.empty()) break;
      report = reports_.front();
      report.set_node_uid(node_uid_);
    }
    Deliver(std::move(report));
  }
  MutexLock lock(&mu_);
  drained_ = true;
  changed_.NotifyAll();
}

void Session::Deliver(v1::ReportTaskRequest report) {
  *report.mutable_session() = session_;
  const absl::Status status = Persist(Line::kReporting, kCall, [&](grpc::ClientContext* context) {
    v1::ReportTaskResponse response;
    return stub_->ReportTask(context, report, &response);
  });
  MutexLock lock(&mu_);
  if (IsStale(status)) {
    // The report is kept and goes out under the next registration.
    registered_ = false;
    const auto poll = calls_.find(Line::kPolling);
    if (poll != calls_.end()) poll->second->TryCancel();
    return;
  }
  if (absl::IsCancelled(status)) return;
  if (!status.ok()) {
    spdlog::error("a report on job {} order {} was not taken: {}", report.mark().job_uid(), report.mark().number(),
                  Text(status));
  }
  reports_.pop_front();
}

absl::Status Session::CallOnce(Line line, absl::Duration timeout,
                               const std::function<grpc::Status(grpc::ClientContext*)>& call) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  {
    MutexLock lock(&mu_);
    if (stopped_) return absl::CancelledError("stopped");
    calls_[line] = &context;
  }
  const absl::Status status = FromGrpc(call(&context));
  MutexLock lock(&mu_);
  calls_.erase(line);
  return status;
}

absl::Status Session::Persist(Line line, absl::Duration timeout,
                              const std::function<grpc::Status(grpc::ClientContext*)>& call) {
  Backoff backoff(std::random_device{}());
  while (true) {
    const absl::Status status = CallOnce(line, timeout, call);
    Say(status);
    if (status.ok() || !IsRetryable(status)) return status;
    const absl::Duration wait = std::max(backoff.Next(), RetryAfter(status));
    if (!Sleep(wait)) return absl::CancelledError("stopped");
  }
}

void Session::Say(const absl::Status& status) {
  MutexLock lock(&mu_);
  const bool away = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  if (stopped_ || away == lost_) return;
  lost_ = away;
  if (away) {
    spdlog::warn("{} does not answer ({}); what runs here goes on, trying again", server_, Text(status));
  } else {
    spdlog::info("{} answers again", server_);
  }
}

}  // namespace muster::agent
