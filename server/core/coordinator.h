#pragma once
// The coordinator: what the services call.
//
// All calls are asynchronous and may be made from any thread. Each reply comes exactly once: on the loop's thread, or
// at once on the caller's (a released rank; a full queue: RESOURCE_EXHAUSTED). Replies must not block. Requests are
// valid in form; see the *_calls.h of this folder for each call's errors. Besides: UNAVAILABLE, the store fails or the
// coordinator is shutting down.
//
// An interface, so that whoever calls it doesn't see, or wait for the compilation of, what is behind it
// (loop_coordinator.h).

#include <atomic>
#include <memory>

#include "absl/time/time.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/job_service.pb.h"
#include "proto/muster/v1/node_service.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"
#include "proto/muster/v1/self_test_service.pb.h"
#include "proto/muster/v1/worker_service.pb.h"
#include "server/core/explain.h"
#include "server/core/job_watchers.h"
#include "server/core/keys.h"
#include "server/core/reply.h"
#include "server/store/store.h"

namespace muster::core {

class KeyValues;

class Coordinator {
 public:
  virtual ~Coordinator() = default;

  // Answers what is held with UNAVAILABLE and refuses what comes. Idempotent.
  virtual void ShutDown() = 0;

  // For calls that may be held.
  CallId NewCall() { return next_call_.fetch_add(1, std::memory_order_relaxed); }
  // The caller of a held call has gone: it is answered CANCELLED soon.
  virtual void Abandon(CallId id) = 0;

  virtual void Submit(v1::SubmitRequest request, Reply<v1::SubmitResponse> reply) = 0;
  virtual void GetJob(v1::GetJobRequest request, Reply<v1::Job> reply) = 0;
  virtual void ListJobs(v1::ListJobsRequest request, Reply<v1::ListJobsResponse> reply) = 0;
  virtual void WatchJob(CallId id, v1::WatchJobRequest request, std::shared_ptr<JobSink> sink) = 0;
  virtual void CancelJob(v1::CancelJobRequest request, Reply<v1::Job> reply) = 0;
  // What core::Explain makes the answer of, elsewhere than on the loop.
  virtual void ExplainJob(v1::ExplainRequest request, Reply<ToExplain> reply) = 0;
  virtual void StartSelfTest(v1::StartSelfTestRequest request, Reply<v1::StartSelfTestResponse> reply) = 0;
  // The live inventory as placement sees it.
  virtual void Snapshot(Reply<placement::Cluster> reply) = 0;

  virtual void GetRank(CallId id, const v1::GetRankRequest& request, absl::Duration poll,
                       Reply<v1::GetRankResponse> reply) = 0;
  virtual void WatchGang(CallId id, v1::WatchGangRequest request, absl::Duration poll,
                         Reply<v1::WatchGangResponse> reply) = 0;
  virtual void ReportExit(v1::ReportExitRequest request, Reply<v1::ReportExitResponse> reply) = 0;

  virtual void RegisterAgent(v1::RegisterRequest request, Reply<v1::RegisterResponse> reply) = 0;
  virtual void NextTask(CallId id, v1::NextTaskRequest request, absl::Duration poll,
                        Reply<v1::NextTaskResponse> reply) = 0;
  virtual void ReportTask(v1::ReportTaskRequest request, Reply<v1::ReportTaskResponse> reply) = 0;

  virtual void ListNodes(v1::ListNodesRequest request, Reply<v1::ListNodesResponse> reply) = 0;
  virtual void GetNode(v1::GetNodeRequest request, Reply<v1::Node> reply) = 0;
  virtual void QuarantineNode(v1::QuarantineRequest request, Reply<v1::Node> reply) = 0;
  virtual void Readmit(v1::ReadmitRequest request, Reply<v1::Node> reply) = 0;
  virtual void Drain(v1::DrainRequest request, Reply<v1::Node> reply) = 0;
  virtual void Annotate(v1::AnnotateReceiptRequest request, Reply<v1::Receipt> reply) = 0;

  virtual KeyValues& key_values() = 0;
  virtual store::Store& store() = 0;
  virtual const Tiers& tiers() const = 0;

 private:
  std::atomic<CallId> next_call_{1};
};

}  // namespace muster::core
