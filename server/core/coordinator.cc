#include "server/core/coordinator.h"

#include <utility>

#include "server/core/agent_calls.h"
#include "server/core/answers.h"
#include "server/core/derive.h"
#include "server/core/job_calls.h"
#include "server/core/member_calls.h"
#include "server/core/node_calls.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

absl::Status Full() { return Overloaded("more calls wait to be looked at than the coordinator takes"); }
absl::Status Down() { return absl::UnavailableError("the coordinator is shutting down; call again"); }

}  // namespace

Coordinator::Coordinator(const Clock& clock, store::Store& store, Metrics& metrics, Tiers tiers, Options options,
                         Loop::Options loop)
    : clock_(clock),
      store_(store),
      options_(options),
      tiers_(tiers),
      key_values_(clock, store, {.max_waiting = options.max_waiting_calls}),
      loop_(clock, loop),
      core_(clock, loop_, store, metrics, key_values_, released_, std::move(tiers), std::move(options)) {
  loop_.SetHooks({.on_alarm = [this] { core_.OnAlarm(); }, .on_turn_end = [this] { core_.EndTurn(); }});
  // The end of a turn looks when the next call expires.
  key_values_.SetWake([this] { loop_.PostInternal([] {}); });
}

Coordinator::~Coordinator() { ShutDown(); }

void Coordinator::ShutDown() {
  if (down_.exchange(true)) return;
  key_values_.ShutDown();
  loop_.Stop();
  // The thread has ended: what it owned is ours.
  loop_.RunRemaining();
  core_.ShutDown();
}

template <typename T, typename Run>
void Coordinator::OnLoop(Reply<T> reply, Run run) {
  // Shared with the refusal; whoever comes first takes it.
  auto shared = std::make_shared<Reply<T>>(std::move(reply));
  const bool posted = !down_ && loop_.Post([this, shared, run = std::move(run)]() mutable {
    if (absl::Status healthy = down_ ? Down() : core_.healthy(); !healthy.ok()) return (*shared)(healthy);
    run(core_, std::move(*shared));
  });
  if (!posted) (*shared)(down_ ? Down() : Full());
}

void Coordinator::Abandon(CallId id) {
  loop_.PostInternal([this, id] { core::Abandon(core_, id); });
}

void Coordinator::GetRank(CallId id, const v1::GetRankRequest& request, absl::Duration poll,
                          Reply<v1::GetRankResponse> reply) {
  if (std::optional<ReleasedTable::Hit> hit = released_.Find(request)) {
    v1::GetRankResponse response;
    response.mutable_envelope()->set_term(store_.term().value());
    SetTime(clock_.Now(), response.mutable_envelope()->mutable_server_time());
    response.set_assignment(*hit->assignment);
    return reply(std::move(response));
  }
  OnLoop<v1::GetRankResponse>(std::move(reply), [id, request, poll](Core& core, Reply<v1::GetRankResponse> reply) {
    core::GetRank(core, id, request, poll, std::move(reply));
  });
}

void Coordinator::WatchGang(CallId id, v1::WatchGangRequest request, absl::Duration poll,
                            Reply<v1::WatchGangResponse> reply) {
  OnLoop<v1::WatchGangResponse>(
      std::move(reply), [id, request = std::move(request), poll](Core& core, Reply<v1::WatchGangResponse> reply) {
        core::WatchGang(core, id, request, poll, std::move(reply));
      });
}

void Coordinator::NextTask(CallId id, v1::NextTaskRequest request, absl::Duration poll,
                           Reply<v1::NextTaskResponse> reply) {
  OnLoop<v1::NextTaskResponse>(std::move(reply),
                               [id, request = std::move(request), poll](Core& core, Reply<v1::NextTaskResponse> reply) {
                                 core::NextTask(core, id, request, poll, std::move(reply));
                               });
}

void Coordinator::WatchJob(CallId id, v1::WatchJobRequest request, std::shared_ptr<JobSink> sink) {
  const bool posted = !down_ && loop_.Post([this, id, request = std::move(request), sink] {
    if (absl::Status healthy = down_ ? Down() : core_.healthy(); !healthy.ok()) return sink->Done(healthy);
    core::WatchJob(core_, id, request, sink);
  });
  if (!posted) sink->Done(down_ ? Down() : Full());
}

void Coordinator::Submit(v1::SubmitRequest request, Reply<v1::SubmitResponse> reply) {
  // Here and not on the loop: with a large mesh it takes long.
  absl::StatusOr<Derived> derived = DeriveFrom(JobOf(request), request.spec());
  if (!derived.ok()) return reply(derived.status());
  OnLoop<v1::SubmitResponse>(std::move(reply), [request = std::move(request), derived = *std::move(derived)](
                                                   Core& core, Reply<v1::SubmitResponse> reply) {
    core::Submit(core, request, derived, std::move(reply));
  });
}

void Coordinator::Snapshot(Reply<placement::Cluster> reply) {
  OnLoop<placement::Cluster>(std::move(reply),
                             [](Core& core, Reply<placement::Cluster> reply) { reply(core.ClusterNow()); });
}

// Calls that are answered when their turn is durable, and never held.
#define MUSTER_CALL(Name, Function, Request, Response)                                                             \
  void Coordinator::Name(v1::Request request, Reply<v1::Response> reply) {                                         \
    OnLoop<v1::Response>(std::move(reply), [request = std::move(request)](Core& core, Reply<v1::Response> reply) { \
      core::Function(core, request, std::move(reply));                                                             \
    });                                                                                                            \
  }

MUSTER_CALL(GetJob, GetJob, GetJobRequest, Job)
MUSTER_CALL(ListJobs, ListJobs, ListJobsRequest, ListJobsResponse)
MUSTER_CALL(CancelJob, CancelJob, CancelJobRequest, Job)
MUSTER_CALL(ExplainJob, ExplainJob, ExplainRequest, Explanation)
MUSTER_CALL(StartSelfTest, StartSelfTest, StartSelfTestRequest, StartSelfTestResponse)
MUSTER_CALL(ReportExit, ReportExit, ReportExitRequest, ReportExitResponse)
MUSTER_CALL(RegisterAgent, RegisterAgent, RegisterRequest, RegisterResponse)
MUSTER_CALL(ReportTask, ReportTask, ReportTaskRequest, ReportTaskResponse)
MUSTER_CALL(ListNodes, ListNodes, ListNodesRequest, ListNodesResponse)
MUSTER_CALL(GetNode, GetNode, GetNodeRequest, Node)
MUSTER_CALL(QuarantineNode, QuarantineNode, QuarantineRequest, Node)
MUSTER_CALL(Readmit, Readmit, ReadmitRequest, Node)
MUSTER_CALL(Drain, Drain, DrainRequest, Node)
MUSTER_CALL(Annotate, Annotate, AnnotateReceiptRequest, Receipt)

#undef MUSTER_CALL

}  // namespace muster::core
