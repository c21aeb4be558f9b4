#pragma once
// The coordinator: what the services call. Owns the loop, the state behind it, and what can be answered without it.
//
// All calls are asynchronous and may be made from any thread. Each reply comes exactly once: on the loop's thread, or
// at once on the caller's (a released rank; a full queue: RESOURCE_EXHAUSTED). Replies must not block. Requests are
// valid in form; see the *_calls.h of this folder for each call's errors. Besides: UNAVAILABLE, the store fails or the
// coordinator is shutting down.

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/job_service.pb.h"
#include "proto/muster/v1/node_service.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"
#include "proto/muster/v1/self_test_service.pb.h"
#include "proto/muster/v1/worker_service.pb.h"
#include "server/core/clock.h"
#include "server/core/core.h"
#include "server/core/job_watchers.h"
#include "server/core/key_values.h"
#include "server/core/keys.h"
#include "server/core/loop.h"
#include "server/core/metrics.h"
#include "server/core/options.h"
#include "server/core/released_table.h"
#include "server/core/reply.h"
#include "server/store/store.h"

namespace muster::core {

class Coordinator {
 public:
  // `clock`, `store` and `metrics` outlive it; commits that are under way end (Store::Close) before it does.
  Coordinator(const Clock& clock, store::Store& store, Metrics& metrics, Tiers tiers, Options options,
              Loop::Options loop = {});
  ~Coordinator();

  // Once, before anything else: takes up what the store has.
  absl::Status Recover() { return core_.Recover(); }
  // Runs the loop in a thread of its own, until ShutDown. Tests run it by hand instead.
  void Start() { loop_.Start(); }
  int RunUntilIdle() { return loop_.RunUntilIdle(); }
  // Answers what is held with UNAVAILABLE and refuses what comes. Idempotent.
  void ShutDown();

  // For calls that may be held.
  CallId NewCall() { return next_call_.fetch_add(1, std::memory_order_relaxed); }
  // The caller of a held call has gone: it is answered CANCELLED soon.
  void Abandon(CallId id);

  void Submit(v1::SubmitRequest request, Reply<v1::SubmitResponse> reply);
  void GetJob(v1::GetJobRequest request, Reply<v1::Job> reply);
  void ListJobs(v1::ListJobsRequest request, Reply<v1::ListJobsResponse> reply);
  void WatchJob(CallId id, v1::WatchJobRequest request, std::shared_ptr<JobSink> sink);
  void CancelJob(v1::CancelJobRequest request, Reply<v1::Job> reply);
  void ExplainJob(v1::ExplainRequest request, Reply<v1::Explanation> reply);
  void StartSelfTest(v1::StartSelfTestRequest request, Reply<v1::StartSelfTestResponse> reply);
  // The live inventory as placement sees it.
  void Snapshot(Reply<placement::Cluster> reply);

  void GetRank(CallId id, const v1::GetRankRequest& request, absl::Duration poll, Reply<v1::GetRankResponse> reply);
  void WatchGang(CallId id, v1::WatchGangRequest request, absl::Duration poll, Reply<v1::WatchGangResponse> reply);
  void ReportExit(v1::ReportExitRequest request, Reply<v1::ReportExitResponse> reply);

  void RegisterAgent(v1::RegisterRequest request, Reply<v1::RegisterResponse> reply);
  void NextTask(CallId id, v1::NextTaskRequest request, absl::Duration poll, Reply<v1::NextTaskResponse> reply);
  void ReportTask(v1::ReportTaskRequest request, Reply<v1::ReportTaskResponse> reply);

  void ListNodes(v1::ListNodesRequest request, Reply<v1::ListNodesResponse> reply);
  void GetNode(v1::GetNodeRequest request, Reply<v1::Node> reply);
  void QuarantineNode(v1::QuarantineRequest request, Reply<v1::Node> reply);
  void Readmit(v1::ReadmitRequest request, Reply<v1::Node> reply);
  void Drain(v1::DrainRequest request, Reply<v1::Node> reply);
  void Annotate(v1::AnnotateReceiptRequest request, Reply<v1::Receipt> reply);

  KeyValues& key_values() { return key_values_; }
  store::Store& store() { return store_; }
  const Options& options() const { return options_; }
  const Tiers& tiers() const { return tiers_; }

 private:
  // `run` with the core on the loop, or its refusal.
  template <typename T, typename Run>
  void OnLoop(Reply<T> reply, Run run);

  const Clock& clock_;
  store::Store& store_;
  const Options options_;
  const Tiers tiers_;
  ReleasedTable released_;
  KeyValues key_values_;
  std::atomic<CallId> next_call_{1};
  std::atomic<bool> down_{false};
  Loop loop_;
  Core core_;
};

}  // namespace muster::core
