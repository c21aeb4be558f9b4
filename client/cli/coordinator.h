#pragma once
// What the command line asks of the coordinator, without a transport: commands are tested against a fake.

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/muster/v1/job_service.pb.h"
#include "proto/muster/v1/node_service.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"
#include "proto/muster/v1/self_test_service.pb.h"

namespace muster::cli {

// Errors are the services' (proto), with their detail; UNAVAILABLE: the coordinator wasn't reached, or was lost.
class Coordinator {
 public:
  virtual ~Coordinator() = default;

  virtual absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request) = 0;
  virtual absl::StatusOr<v1::Job> GetJob(const v1::GetJobRequest& request) = 0;
  virtual absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) = 0;
  virtual absl::StatusOr<v1::Job> Cancel(const v1::CancelJobRequest& request) = 0;
  virtual absl::StatusOr<v1::PlanResponse> Plan(const v1::PlanRequest& request) = 0;
  virtual absl::StatusOr<v1::Explanation> Explain(const v1::ExplainRequest& request) = 0;

  virtual absl::StatusOr<v1::ListNodesResponse> ListNodes(const v1::ListNodesRequest& request) = 0;
  virtual absl::StatusOr<v1::Node> GetNode(const v1::GetNodeRequest& request) = 0;
  virtual absl::StatusOr<v1::Node> Quarantine(const v1::QuarantineRequest& request) = 0;
  virtual absl::StatusOr<v1::Node> Readmit(const v1::ReadmitRequest& request) = 0;
  virtual absl::StatusOr<v1::Node> Drain(const v1::DrainRequest& request) = 0;

  virtual absl::StatusOr<v1::Receipt> GetReceipt(const v1::GetReceiptRequest& request) = 0;
  virtual absl::StatusOr<v1::ListReceiptsResponse> ListReceipts(const v1::ListReceiptsRequest& request) = 0;
  virtual absl::StatusOr<v1::CompareReceiptsResponse> Compare(const v1::CompareReceiptsRequest& request) = 0;
  virtual absl::StatusOr<v1::Receipt> Annotate(const v1::AnnotateReceiptRequest& request) = 0;

  virtual absl::StatusOr<v1::StartSelfTestResponse> StartSelfTest(const v1::StartSelfTestRequest& request) = 0;

  // Calls `on_change` for each message, until the stream ends (its status) or `until` (DEADLINE_EXCEEDED).
  virtual absl::Status WatchJob(const v1::WatchJobRequest& request, absl::Time until,
                                const std::function<void(const v1::Job&)>& on_change) = 0;
  virtual absl::Status WatchSelfTest(const v1::WatchSelfTestRequest& request, absl::Time until,
                                     const std::function<void(const v1::SelfTestProgress&)>& on_change) = 0;
};

}  // namespace muster::cli
