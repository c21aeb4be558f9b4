#pragma once
// Whether a request is well-formed: presence, lengths, ranges, counts. All say INVALID_ARGUMENT with the field's path,
// its value and the way out; nothing of the state is looked at. What passes here can't hurt the core by its form.

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/job_service.pb.h"
#include "proto/muster/v1/key_value_service.pb.h"
#include "proto/muster/v1/node_service.pb.h"
#include "proto/muster/v1/receipt_service.pb.h"
#include "proto/muster/v1/self_test_service.pb.h"
#include "proto/muster/v1/worker_service.pb.h"

namespace muster::services {

absl::Status Check(const v1::SubmitRequest& request);
absl::Status Check(const v1::GetJobRequest& request);
absl::Status Check(const v1::ListJobsRequest& request);
absl::Status Check(const v1::WatchJobRequest& request);
absl::Status Check(const v1::CancelJobRequest& request);
absl::Status Check(const v1::PlanRequest& request);
absl::Status Check(const v1::ExplainRequest& request);
absl::Status Check(const v1::StartSelfTestRequest& request);
absl::Status Check(const v1::WatchSelfTestRequest& request);

absl::Status Check(const v1::GetRankRequest& request);
absl::Status Check(const v1::WatchGangRequest& request);
absl::Status Check(const v1::ReportExitRequest& request);

absl::Status Check(const v1::RegisterRequest& request);
absl::Status Check(const v1::NextTaskRequest& request);
absl::Status Check(const v1::ReportTaskRequest& request);

absl::Status Check(const v1::ListNodesRequest& request);
absl::Status Check(const v1::GetNodeRequest& request);
absl::Status Check(const v1::QuarantineRequest& request);
absl::Status Check(const v1::ReadmitRequest& request);
absl::Status Check(const v1::DrainRequest& request);

absl::Status Check(const v1::GetReceiptRequest& request);
absl::Status Check(const v1::ListReceiptsRequest& request);
absl::Status Check(const v1::CompareReceiptsRequest& request);
absl::Status Check(const v1::AnnotateReceiptRequest& request);

absl::Status Check(const v1::SetRequest& request);
absl::Status Check(const v1::GetRequest& request);
absl::Status Check(const v1::WaitRequest& request);
absl::Status Check(const v1::AddRequest& request);
absl::Status Check(const v1::CompareAndSetRequest& request);
absl::Status Check(const v1::DeleteRequest& request);

// How long a call may be held: absent 20 s, else what it says, at most 60 s.
absl::Duration PollOf(bool given, const google::protobuf::Duration& poll);
template <typename Request>
absl::Duration PollOf(const Request& request) {
  return PollOf(request.has_poll(), request.poll());
}

}  // namespace muster::services
