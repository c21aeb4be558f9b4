#include "server/core/member_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/answers.h"
#include "server/core/incarnations.h"

namespace muster::core {
namespace {

template <typename Request>
gang::Caller CallerOf(const Request& request, const std::string& node) {
  gang::Caller caller;
  caller.index = PodIndex(request.pod_index());
  caller.incarnation = IncarnationOf(request.incarnation());
  if (request.has_local_rank()) caller.local_rank = request.local_rank();
  caller.node = node;
  return caller;
}

// The request against the job's shape.
template <typename Request>
absl::Status CheckShape(const Job& job, const Request& request) {
  const v1::JobSpec& spec = *job.gang.spec;
  if (request.pod_index() < 0 || request.pod_index() >= spec.members()) {
    return FieldError(
        "pod_index",
        absl::StrCat(request.pod_index(), " is not one of the ", spec.members(), " members of ", job.FullName()),
        absl::StrCat("give 0..", spec.members() - 1));
  }
  const int32_t workers = std::max(1, spec.workers_per_member());
  if (request.has_local_rank() && (request.local_rank() < 0 || request.local_rank() >= workers)) {
    return FieldError(
        "local_rank",
        absl::StrCat(request.local_rank(), " is not one of the ", workers, " workers of a member of ", job.FullName()),
        absl::StrCat("give 0..", workers - 1));
  }
  return absl::OkStatus();
}

absl::Status CheckAssertions(const Job& job, const v1::GetRankRequest& request) {
  const int32_t workers = std::max(1, job.gang.spec->workers_per_member());
  if (request.workers() != 0 && request.workers() != workers) {
    return FieldError(
        "workers",
        absl::StrCat(request.workers(), " workers are going to be started, but ", job.FullName(), " has ", workers,
                     " a member"),
        absl::StrCat("start ", workers, ", or submit the job with workers_per_member: ", request.workers()));
  }
  if (request.has_expected_attempt() && request.expected_attempt() != job.gang.attempt.value()) {
    return Stale(absl::StrCat("attempt ", request.expected_attempt(), " of ", job.FullName(),
                              request.expected_attempt() < job.gang.attempt.value() ? " is over" : " has not begun",
                              ": this is attempt ", job.gang.attempt.value()),
                 "call again without expected_attempt");
  }
  if (request.has_expected_epoch() &&
      (request.expected_epoch() != job.gang.epoch.value() || job.phase != v1::RUNNING)) {
    return Stale(absl::StrCat("epoch ", request.expected_epoch(), " of ", job.FullName(),
                              request.expected_epoch() <= job.gang.epoch.value() ? " is over" : " has not begun",
                              job.gang.epoch.value() == 0 ? ": it has had none yet"
                                                          : absl::StrCat(": the latest is ", job.gang.epoch.value())),
                 "call again without expected_epoch");
  }
  return absl::OkStatus();
}

absl::Status Room(Core& core) {
  const auto held = static_cast<int64_t>(core.rank_calls().size() + core.watch_calls().size());
  if (held < core.options().max_waiting_calls) return absl::OkStatus();
  return Overloaded(absl::StrCat(core.options().max_waiting_calls, " calls wait already, which is the limit"));
}

}  // namespace

void GetRank(Core& core, CallId id, const v1::GetRankRequest& request, absl::Duration poll,
             Reply<v1::GetRankResponse> reply) {
  absl::StatusOr<Job*> found = core.jobs().Find(request.job());
  if (!found.ok()) return reply(found.status());
  Job& job = **found;
  for (const absl::Status& check : {CheckShape(job, request), CheckAssertions(job, request), Room(core)})
    if (!check.ok()) return reply(check);

  RankCall call;
  call.id = id;
  call.job = job.key();
  call.index = PodIndex(request.pod_index());
  call.since = core.now();
  call.expires = core.now() + poll;
  call.caller = CallerOf(request, request.node());
  call.reply = std::move(reply);

  gang::MemberCalled event;
  event.index = call.index;
  event.incarnation = call.caller.incarnation;
  event.local_rank = call.caller.local_rank;
  event.node = request.node();
  // Where the node has an agent, its word goes before the caller's.
  const NodeEntry* node = request.node().empty() ? nullptr : core.nodes().FindName(request.node());
  event.address = node != nullptr && !node->info.address().empty() ? node->info.address() : request.address();
  event.reserved_port = request.reserved_port();
  if (request.has_last_epoch()) event.last_epoch = Epoch(request.last_epoch());

  core.RankCallCame(job.key(), call.caller);
  core.rank_calls().Add(std::move(call));
  core.Apply(job, std::move(event));
  if (poll > absl::ZeroDuration()) return;
  // A look, not a wait: after the commit it is answered whatever the state.
  core.AfterCommit([&core, id](const absl::Status& status) {
    std::optional<RankCall> call = core.rank_calls().Take(id);
    if (!call) return;
    core.RankCallEnded(*call);
    if (!status.ok()) return call->reply(status);
    v1::GetRankResponse response;
    core.SetEnvelope(response.mutable_envelope(), /*retry=*/true);
    if (const Job* job = core.jobs().Find(call->job)) *response.mutable_not_ready() = core.NotReadyOf(*job);
    call->reply(std::move(response));
  });
}

void WatchGang(Core& core, CallId id, const v1::WatchGangRequest& request, absl::Duration poll,
               Reply<v1::WatchGangResponse> reply) {
  absl::StatusOr<Job*> found = core.jobs().Find(request.job());
  if (!found.ok()) return reply(found.status());
  Job& job = **found;
  for (const absl::Status& check : {CheckShape(job, request), Room(core)})
    if (!check.ok()) return reply(check);
  WatchCall call;
  call.id = id;
  call.job = job.key();
  call.index = PodIndex(request.pod_index());
  // Half the lease leaves time for the next call.
  call.expires = core.now() + std::min(poll, core.options().member_lease / 2);
  call.caller = CallerOf(request, "");
  call.epoch = Epoch(request.epoch());
  call.reply = std::move(reply);
  const auto member = job.gang.members.find(call.index);
  const bool current = member != job.gang.members.end() && member->second.incarnation == call.caller.incarnation;
  if (current || call.caller.local_rank) core.MemberHeard(job, call.index, call.caller.incarnation);
  core.Apply(job, gang::MemberWatches{call.index, call.caller.incarnation, call.caller.local_rank, call.epoch});
  const bool wait = poll > absl::ZeroDuration();
  core.AfterCommit([&core, wait, call = std::move(call)](const absl::Status& status) mutable {
    if (!status.ok()) return call.reply(status);
    const Job* job = core.jobs().Find(call.job);
    const gang::Watch watch = job == nullptr ? gang::Watch() : gang::WatchFor(job->gang, call.caller, call.epoch);
    if (wait && job != nullptr && watch.order == gang::Watch::Order::kContinue)
      return core.watch_calls().Add(std::move(call));
    call.reply(core.WatchResponse(watch));
  });
}

void ReportExit(Core& core, const v1::ReportExitRequest& request, Reply<v1::ReportExitResponse> reply) {
  absl::StatusOr<Job*> found = core.jobs().Find(request.job());
  if (!found.ok()) return reply(found.status());
  Job& job = **found;
  if (absl::Status shape = CheckShape(job, request); !shape.ok()) return reply(shape);
  gang::CommandEnded event;
  event.index = PodIndex(request.pod_index());
  event.incarnation = IncarnationOf(request.incarnation());
  if (request.has_local_rank()) event.local_rank = request.local_rank();
  event.epoch = Epoch(request.epoch());
  event.exit_code = request.exit_code();
  event.ordered = request.ordered();
  event.logs = request.logs();
  core.Apply(job, std::move(event));
  core.AfterCommit([&core, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    v1::ReportExitResponse response;
    core.SetEnvelope(response.mutable_envelope(), /*retry=*/false);
    reply(std::move(response));
  });
}

void Abandon(Core& core, CallId id) {
  const absl::Status gone = absl::CancelledError("the caller has gone");
  if (std::optional<RankCall> call = core.rank_calls().Take(id)) {
    core.RankCallEnded(*call);
    call->reply(gone);
  } else if (std::optional<WatchCall> watch = core.watch_calls().Take(id)) {
    watch->reply(gone);
  } else if (std::optional<TaskPoll> poll = core.sessions().TakeCall(id)) {
    poll->reply(gone);
  } else {
    core.watchers().Remove(id);
  }
}

}  // namespace muster::core
