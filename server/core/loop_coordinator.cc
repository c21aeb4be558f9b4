#include "server/core/loop_coordinator.h"

#include <atomic>
#include <utility>

#include "server/core/agent_calls.h"
#include "server/core/answers.h"
#include "server/core/core.h"
#include "server/core/derive.h"
#include "server/core/job_calls.h"
#include "server/core/key_values.h"
#include "server/core/member_calls.h"
#include "server/core/node_calls.h"
#include "server/core/released_table.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

absl::Status Full() { return Overloaded("more calls wait to be looked at than the coordinator takes"); }
absl::Status Down() { return absl::UnavailableError("the coordinator is shutting down; call again"); }

}  // namespace

// Declared in the order of use: what the loop's thread touches outlives it.
class LoopCoordinator::Parts {
 public:
  Parts(const Clock& clock, store::Store& store, Metrics& metrics, Tiers tiers, Options options, Loop::Options loop)
      : clock(clock),
        store(store),
        tiers(tiers),
        key_values(clock, store, {.max_waiting = options.max_waiting_calls}),
        loop(clock, loop),
        core(clock, this->loop, store, metrics, key_values, released, std::move(tiers), std::move(options)) {
    this->loop.SetHooks({.on_alarm = [this] { core.OnAlarm(); }, .on_turn_end = [this] { core.EndTurn(); }});
    // The end of a turn looks when the next call expires.
    key_values.SetWake([this] { this->loop.PostInternal([] {}); });
  }

  // What a call does to the state: one that only reads is answered also while nothing can be made durable.
  enum class Kind { kReads, kChanges };

  // `run` with the core on the loop, or its refusal.
  template <typename T, typename Run>
  void OnLoop(Reply<T> reply, Run run, Kind kind = Kind::kChanges) {
    // Shared with the refusal; whoever comes first takes it.
    auto shared = std::make_shared<Reply<T>>(std::move(reply));
    const bool posted = !down && loop.Post([this, shared, kind, run = std::move(run)]() mutable {
      if (down) return (*shared)(Down());
      if (kind == Kind::kChanges && !core.healthy().ok()) return (*shared)(core.healthy());
      run(core, std::move(*shared));
    });
    if (!posted) (*shared)(down ? Down() : Full());
  }

  const Clock& clock;
  store::Store& store;
  const Tiers tiers;
  ReleasedTable released;
  KeyValues key_values;
  std::atomic<bool> down{false};
  Loop loop;
  Core core;
};

LoopCoordinator::LoopCoordinator(const Clock& clock, store::Store& store, Metrics& metrics, Tiers tiers,
                                 Options options, Loop::Options loop)
    : parts_(std::make_unique<Parts>(clock, store, metrics, std::move(tiers), std::move(options), loop)) {}

LoopCoordinator::~LoopCoordinator() { ShutDown(); }

absl::Status LoopCoordinator::Recover() { return parts_->core.Recover(); }
void LoopCoordinator::Start() { parts_->loop.Start(); }
int LoopCoordinator::RunUntilIdle() { return parts_->loop.RunUntilIdle(); }
KeyValues& LoopCoordinator::key_values() { return parts_->key_values; }
store::Store& LoopCoordinator::store() { return parts_->store; }
const Tiers& LoopCoordinator::tiers() const { return parts_->tiers; }

void LoopCoordinator::ShutDown() {
  if (parts_->down.exchange(true)) return;
  parts_->key_values.ShutDown();
  parts_->loop.Stop();
  // The thread has ended: what it owned is ours.
  parts_->loop.RunRemaining();
  parts_->core.ShutDown();
}

void LoopCoordinator::Abandon(CallId id) {
  parts_->loop.PostInternal([parts = parts_.get(), id] { core::Abandon(parts->core, id); });
}

void LoopCoordinator::GetRank(CallId id, const v1::GetRankRequest& request, absl::Duration poll,
                              Reply<v1::GetRankResponse> reply) {
  if (std::optional<ReleasedTable::Hit> hit = parts_->released.Find(request)) {
    v1::GetRankResponse response;
    response.mutable_envelope()->set_term(parts_->store.term().value());
    SetTime(parts_->clock.Now(), response.mutable_envelope()->mutable_server_time());
    response.set_assignment(*hit->assignment);
    return reply(std::move(response));
  }
  parts_->OnLoop<v1::GetRankResponse>(std::move(reply),
                                      [id, request, poll](Core& core, Reply<v1::GetRankResponse> reply) {
                                        core::GetRank(core, id, request, poll, std::move(reply));
                                      });
}

void LoopCoordinator::WatchGang(CallId id, v1::WatchGangRequest request, absl::Duration poll,
                                Reply<v1::WatchGangResponse> reply) {
  parts_->OnLoop<v1::WatchGangResponse>(
      std::move(reply), [id, request = std::move(request), poll](Core& core, Reply<v1::WatchGangResponse> reply) {
        core::WatchGang(core, id, request, poll, std::move(reply));
      });
}

void LoopCoordinator::NextTask(CallId id, v1::NextTaskRequest request, absl::Duration poll,
                               Reply<v1::NextTaskResponse> reply) {
  parts_->OnLoop<v1::NextTaskResponse>(
      std::move(reply), [id, request = std::move(request), poll](Core& core, Reply<v1::NextTaskResponse> reply) {
        core::NextTask(core, id, request, poll, std::move(reply));
      });
}

void LoopCoordinator::WatchJob(CallId id, v1::WatchJobRequest request, std::shared_ptr<JobSink> sink) {
  Parts& parts = *parts_;
  const bool posted = !parts.down && parts.loop.Post([&parts, id, request = std::move(request), sink] {
    if (absl::Status healthy = parts.down ? Down() : parts.core.healthy(); !healthy.ok()) return sink->Done(healthy);
    core::WatchJob(parts.core, id, request, sink);
  });
  if (!posted) sink->Done(parts.down ? Down() : Full());
}

void LoopCoordinator::Submit(v1::SubmitRequest request, Reply<v1::SubmitResponse> reply) {
  // Here and not on the loop: with a large mesh it takes long.
  absl::StatusOr<Derived> derived = DeriveFrom(JobOf(request), request.spec());
  if (!derived.ok()) return reply(derived.status());
  parts_->OnLoop<v1::SubmitResponse>(std::move(reply), [request = std::move(request), derived = *std::move(derived)](
                                                           Core& core, Reply<v1::SubmitResponse> reply) {
    core::Submit(core, request, derived, std::move(reply));
  });
}

void LoopCoordinator::Snapshot(Reply<placement::Cluster> reply) {
  parts_->OnLoop<placement::Cluster>(
      std::move(reply), [](Core& core, Reply<placement::Cluster> reply) { reply(core.ClusterNow()); },
      Parts::Kind::kReads);
}

void LoopCoordinator::ExplainJob(v1::ExplainRequest request, Reply<ToExplain> reply) {
  parts_->OnLoop<ToExplain>(
      std::move(reply),
      [request = std::move(request)](Core& core, Reply<ToExplain> reply) {
        core::ExplainJob(core, request, std::move(reply));
      },
      Parts::Kind::kReads);
}

// Calls that are answered when their turn is durable, and never held.
#define MUSTER_CALL(Name, kind, Request, Response)                              \
  void LoopCoordinator::Name(v1::Request request, Reply<v1::Response> reply) {  \
    parts_->OnLoop<v1::Response>(                                               \
        std::move(reply),                                                       \
        [request = std::move(request)](Core& core, Reply<v1::Response> reply) { \
          core::Name(core, request, std::move(reply));                          \
        },                                                                      \
        Parts::Kind::kind);                                                     \
  }

MUSTER_CALL(GetJob, kReads, GetJobRequest, Job)
MUSTER_CALL(ListJobs, kReads, ListJobsRequest, ListJobsResponse)
MUSTER_CALL(CancelJob, kChanges, CancelJobRequest, Job)
MUSTER_CALL(StartSelfTest, kChanges, StartSelfTestRequest, StartSelfTestResponse)
MUSTER_CALL(ReportExit, kChanges, ReportExitRequest, ReportExitResponse)
MUSTER_CALL(RegisterAgent, kChanges, RegisterRequest, RegisterResponse)
MUSTER_CALL(ReportTask, kChanges, ReportTaskRequest, ReportTaskResponse)
MUSTER_CALL(ListNodes, kReads, ListNodesRequest, ListNodesResponse)
MUSTER_CALL(GetNode, kReads, GetNodeRequest, Node)
MUSTER_CALL(QuarantineNode, kChanges, QuarantineRequest, Node)
MUSTER_CALL(Readmit, kChanges, ReadmitRequest, Node)
MUSTER_CALL(Drain, kChanges, DrainRequest, Node)
MUSTER_CALL(Annotate, kChanges, AnnotateReceiptRequest, Receipt)

#undef MUSTER_CALL

}  // namespace muster::core
