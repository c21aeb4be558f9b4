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
constexpr absl::Duration kFirstWait = absl::Milliseconds(200);

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

// The coordinator's, where an error says it.
uint64_t TermOf(const absl::Status& status) {
  const auto detail = DetailOf(status);
  return detail ? detail->term() : 0;
}

}  // namespace

Session::Session(const std::string& server, v1::NodeInfo node, v1::Incarnation session)
    : server_(server),
      node_(std::move(node)),
      session_(std::move(session)),
      channel_(Connect(server)),
      stub_(v1::AgentService::NewStub(channel_)),
      stale_(std::random_device{}(), absl::Milliseconds(100)),
      untaken_(std::random_device{}(), absl::Milliseconds(300), absl::Seconds(2)),
      refused_(std::random_device{}()) {}

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
    } else if (Meet()) {
      Register();
    }
  }
}

bool Session::Meet() {
  // A poll of no node is refused, and refusals name the term.
  const absl::Status status = Persist(Line::kPolling, kCall, [&](grpc::ClientContext* context) {
    v1::NextTaskResponse response;
    return stub_->NextTask(context, v1::NextTaskRequest(), &response);
  });
  const uint64_t term = TermOf(status);
  if (Stopped()) return false;
  if (!Current(term) || (!met_ && term != 0 && !callbacks_.begin(term))) {
    SleepRefused();
    return false;
  }
  if (met_ || term == 0) return true;
  met_ = true;
  MutexLock lock(&mu_);
  // Of orders that it has not given, an earlier agent's.
  const auto from = std::remove_if(reports_.begin(), reports_.end(),
                                   [term](const v1::ReportTaskRequest& r) { return r.mark().term() > term; });
  reports_.erase(from, reports_.end());
  return true;
}

void Session::Register() {
  v1::RegisterRequest request;
  *request.mutable_node() = node_;
  *request.mutable_session() = session_;
  for (auto& known : callbacks_.known()) *request.add_known() = std::move(known);
  v1::RegisterResponse response;
  const absl::Status status = CallOnce(Line::kPolling, kCall, [&](grpc::ClientContext* context) {
    return stub_->Register(context, request, &response);
  });
  Say(status);
  if (Stopped() || !Current(status.ok() ? response.envelope().term() : TermOf(status))) return;
  if (absl::IsCancelled(status)) return;
  // Not tried again by itself: another coordinator may be the one that answers then.
  if (IsRetryable(status)) {
    Sleep(std::max(stale_.Next(), RetryAfter(status)));
    return;
  }
  if (!status.ok()) {
    if (last_refusal_ != Text(status)) {
      last_refusal_ = Text(status);
      spdlog::error("{} does not take node {}: {}; trying again", server_, node_.name(), last_refusal_);
    }
    SleepRefused();
    return;
  }
  last_refusal_.clear();
  refused_.Reset();
  spdlog::info("registered node {} with {}, term {}", node_.name(), server_, response.envelope().term());
  MutexLock lock(&mu_);
  node_uid_ = response.node_uid();
  if (response.has_lease()) lease_ = FromProto(response.lease());
  registered_ = true;
  changed_.NotifyAll();
}

void Session::PollOnce() {
  v1::NextTaskRequest request;
  const Pace pace = this->pace();
  {
    MutexLock lock(&mu_);
    request.set_node_uid(node_uid_);
  }
  *request.mutable_session() = session_;
  *request.mutable_poll() = ToProto(pace.poll);
  for (const v1::RegisterRequest::Known& known : callbacks_.known()) *request.add_seen() = known.mark();
  v1::NextTaskResponse response;
  const absl::Status status = Persist(Line::kPolling, pace.poll_timeout, [&](grpc::ClientContext* context) {
    response.Clear();
    return stub_->NextTask(context, request, &response);
  });
  if (Stopped() || !Current(status.ok() ? response.envelope().term() : TermOf(status))) return;
  if (!status.ok()) {
    // STALE: the coordinator has started anew or knows a newer session. What else it may say, registering tells more.
    if (!absl::IsCancelled(status)) spdlog::info("registering again: {}", Text(status));
    {
      MutexLock lock(&mu_);
      registered_ = false;
    }
    Sleep(stale_.Next());
    return;
  }
  stale_.Reset();
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
    if (!task.has_forget() && taken[task.mark().job_uid()] < task.mark().number()) {
      Sleep(std::min(untaken_.Next(), pace.longest_wait));
      return;
    }
  }
  untaken_.Reset();
}

void Session::SleepRefused() {
  // Grows to 10 s, or what the lease allows if that is less.
  Sleep(refused_.Next() * absl::FDivDuration(pace().longest_wait, absl::Seconds(10)));
}

Pace Session::pace() {
  MutexLock lock(&mu_);
  return PaceOf(lease_);
}

void Session::LoseRegistration() {
  registered_ = false;
  const auto poll = calls_.find(Line::kPolling);
  if (poll != calls_.end()) poll->second->TryCancel();
}

bool Session::Current(uint64_t term) {
  if (term == 0) return true;
  MutexLock lock(&mu_);
  if (term < term_) {
    if (!lower_) {
      spdlog::error(
          "{} is at term {}, but node {} has worked for term {}: it is another coordinator, or its data folder was "
          "restored or begun anew. This agent takes no orders from it and does not register. If it is meant, restart "
          "muster-agent (what it runs is ended first); else give musterd its former --data",
          server_, term, node_.name(), term_);
    }
    lower_ = true;
    LoseRegistration();
    return false;
  }
  if (lower_) spdlog::info("{} is at term {} now; registering", server_, term);
  lower_ = false;
  // A new term is a coordinator that may not know this session.
  if (term > term_ && registered_) registered_ = false;
  term_ = term;
  return true;
}

void Session::Report() {
  while (true) {
    v1::ReportTaskRequest report;
    uint64_t term;
    {
      MutexLock lock(&mu_);
      while (!stopped_ && !(registered_ && !reports_.empty()) && !(draining_ && reports_.empty())) {
        changed_.Wait(&mu_);
      }
      if (stopped_ || reports_.empty()) break;
      report = reports_.front();
      report.set_node_uid(node_uid_);
      term = term_;
    }
    Deliver(std::move(report), term);
  }
  MutexLock lock(&mu_);
  drained_ = true;
  changed_.NotifyAll();
}

void Session::Deliver(v1::ReportTaskRequest report, uint64_t registered_term) {
  *report.mutable_session() = session_;
  v1::ReportTaskResponse response;
  const absl::Status status = Persist(Line::kReporting, kCall, [&](grpc::ClientContext* context) {
    return stub_->ReportTask(context, report, &response);
  });
  // Kept, and goes out under the next registration.
  if (!Current(status.ok() ? response.envelope().term() : TermOf(status)) || absl::IsCancelled(status)) return;
  const bool stale = IsStale(status), restarted = TermOf(status) > registered_term;
  MutexLock lock(&mu_);
  if (stale && (!stale_before_ || restarted)) {
    stale_before_ = true;
    LoseRegistration();
    return;
  }
  if (stale) {
    // The session has been registered anew since, so it is the report that is stale.
    spdlog::info("a report on job {} order {} came too late: {}", report.mark().job_uid(), report.mark().number(),
                 Text(status));
  } else if (!status.ok()) {
    spdlog::error("a report on job {} order {} was not taken: {}", report.mark().job_uid(), report.mark().number(),
                  Text(status));
  }
  stale_before_ = false;
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
  const Pace pace = this->pace();
  Backoff backoff(std::random_device{}(), std::min(kFirstWait, pace.longest_wait), pace.longest_wait);
  while (true) {
    const absl::Status status = CallOnce(line, timeout, call);
    Say(status);
    if (status.ok() || !IsRetryable(status)) return status;
    const absl::Duration wait = std::max(backoff.Next(), RetryAfter(status));
    if (!Sleep(wait)) return absl::CancelledError("stopped");
    if (!absl::IsUnavailable(status)) continue;
    // The channel has a back-off of its own; ours is the one that knows the lease.
    grpc::experimental::ChannelResetConnectionBackoff(channel_.get());
    channel_->WaitForConnected(absl::ToChronoTime(absl::Now() + pace.connecting));
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
