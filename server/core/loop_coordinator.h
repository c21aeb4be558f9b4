#pragma once
// The coordinator as it is: one loop that owns the state, and what can be answered without it.

#include <memory>

#include "absl/status/status.h"
#include "server/core/clock.h"
#include "server/core/coordinator.h"
#include "server/core/loop.h"
#include "server/core/metrics.h"
#include "server/core/options.h"

namespace muster::core {

class LoopCoordinator final : public Coordinator {
 public:
  // `clock`, `store` and `metrics` outlive it; commits that are under way end (Store::Close) before it does.
  LoopCoordinator(const Clock& clock, store::Store& store, Metrics& metrics, Tiers tiers, Options options,
                  Loop::Options loop = {});
  ~LoopCoordinator() override;

  // Once, before anything else: takes up what the store has.
  absl::Status Recover();
  // Runs the loop in a thread of its own, until ShutDown. Tests run it by hand instead.
  void Start();
  int RunUntilIdle();
  void ShutDown() override;

  void Abandon(CallId id) override;
  void Submit(v1::SubmitRequest request, Reply<v1::SubmitResponse> reply) override;
  void GetJob(v1::GetJobRequest request, Reply<v1::Job> reply) override;
  void ListJobs(v1::ListJobsRequest request, Reply<v1::ListJobsResponse> reply) override;
  void WatchJob(CallId id, v1::WatchJobRequest request, std::shared_ptr<JobSink> sink) override;
  void CancelJob(v1::CancelJobRequest request, Reply<v1::Job> reply) override;
  void ExplainJob(v1::ExplainRequest request, Reply<ToExplain> reply) override;
  void StartSelfTest(v1::StartSelfTestRequest request, Reply<v1::StartSelfTestResponse> reply) override;
  void Snapshot(Reply<placement::Cluster> reply) override;
  void GetRank(CallId id, const v1::GetRankRequest& request, absl::Duration poll,
               Reply<v1::GetRankResponse> reply) override;
  void WatchGang(CallId id, v1::WatchGangRequest request, absl::Duration poll,
                 Reply<v1::WatchGangResponse> reply) override;
  void ReportExit(v1::ReportExitRequest request, Reply<v1::ReportExitResponse> reply) override;
  void RegisterAgent(v1::RegisterRequest request, Reply<v1::RegisterResponse> reply) override;
  void NextTask(CallId id, v1::NextTaskRequest request, absl::Duration poll,
                Reply<v1::NextTaskResponse> reply) override;
  void ReportTask(v1::ReportTaskRequest request, Reply<v1::ReportTaskResponse> reply) override;
  void ListNodes(v1::ListNodesRequest request, Reply<v1::ListNodesResponse> reply) override;
  void GetNode(v1::GetNodeRequest request, Reply<v1::Node> reply) override;
  void QuarantineNode(v1::QuarantineRequest request, Reply<v1::Node> reply) override;
  void Readmit(v1::ReadmitRequest request, Reply<v1::Node> reply) override;
  void Drain(v1::DrainRequest request, Reply<v1::Node> reply) override;
  void Annotate(v1::AnnotateReceiptRequest request, Reply<v1::Receipt> reply) override;

  KeyValues& key_values() override;
  store::Store& store() override;
  const Tiers& tiers() const override;

 private:
  class Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace muster::core
