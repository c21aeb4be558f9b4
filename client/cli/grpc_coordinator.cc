#include "client/cli/grpc_coordinator.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "client/rpc/channel.h"
#include "client/rpc/status.h"
#include "lib/base/errors.h"
#include "proto/muster/v1/job_service.grpc.pb.h"
#include "proto/muster/v1/node_service.grpc.pb.h"
#include "proto/muster/v1/receipt_service.grpc.pb.h"
#include "proto/muster/v1/self_test_service.grpc.pb.h"

namespace muster::cli {
namespace {

class GrpcCoordinator final : public Coordinator {
 public:
  GrpcCoordinator(const std::string& server, absl::Duration timeout)
      : server_(server),
        timeout_(timeout),
        channel_(Connect(server)),
        jobs_(v1::JobService::NewStub(channel_)),
        nodes_(v1::NodeService::NewStub(channel_)),
        receipts_(v1::ReceiptService::NewStub(channel_)),
        tests_(v1::SelfTestService::NewStub(channel_)) {}

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::Submit, r);
  }
  absl::StatusOr<v1::Job> GetJob(const v1::GetJobRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::Get, r);
  }
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::List, r);
  }
  absl::StatusOr<v1::Job> Cancel(const v1::CancelJobRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::Cancel, r);
  }
  absl::StatusOr<v1::PlanResponse> Plan(const v1::PlanRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::Plan, r);
  }
  absl::StatusOr<v1::Explanation> Explain(const v1::ExplainRequest& r) override {
    return Call(*jobs_, &v1::JobService::Stub::Explain, r);
  }
  absl::StatusOr<v1::ListNodesResponse> ListNodes(const v1::ListNodesRequest& r) override {
    return Call(*nodes_, &v1::NodeService::Stub::List, r);
  }
  absl::StatusOr<v1::Node> GetNode(const v1::GetNodeRequest& r) override {
    return Call(*nodes_, &v1::NodeService::Stub::Get, r);
  }
  absl::StatusOr<v1::Node> Quarantine(const v1::QuarantineRequest& r) override {
    return Call(*nodes_, &v1::NodeService::Stub::Quarantine, r);
  }
  absl::StatusOr<v1::Node> Readmit(const v1::ReadmitRequest& r) override {
    return Call(*nodes_, &v1::NodeService::Stub::Readmit, r);
  }
  absl::StatusOr<v1::Node> Drain(const v1::DrainRequest& r) override {
    return Call(*nodes_, &v1::NodeService::Stub::Drain, r);
  }
  absl::StatusOr<v1::Receipt> GetReceipt(const v1::GetReceiptRequest& r) override {
    return Call(*receipts_, &v1::ReceiptService::Stub::Get, r);
  }
  absl::StatusOr<v1::ListReceiptsResponse> ListReceipts(const v1::ListReceiptsRequest& r) override {
    return Call(*receipts_, &v1::ReceiptService::Stub::List, r);
  }
  absl::StatusOr<v1::CompareReceiptsResponse> Compare(const v1::CompareReceiptsRequest& r) override {
    return Call(*receipts_, &v1::ReceiptService::Stub::Compare, r);
  }
  absl::StatusOr<v1::Receipt> Annotate(const v1::AnnotateReceiptRequest& r) override {
    return Call(*receipts_, &v1::ReceiptService::Stub::Annotate, r);
  }
  absl::StatusOr<v1::StartSelfTestResponse> StartSelfTest(const v1::StartSelfTestRequest& r) override {
    return Call(*tests_, &v1::SelfTestService::Stub::Start, r);
  }

  absl::Status WatchJob(const v1::WatchJobRequest& request, absl::Time until,
                        const std::function<void(const v1::Job&)>& on_change) override {
    grpc::ClientContext context;
    SetDeadline(context, until);
    const auto reader = jobs_->Watch(&context, request);
    return ReadAll<v1::Job>(*reader, on_change);
  }
  absl::Status WatchSelfTest(const v1::WatchSelfTestRequest& request, absl::Time until,
                             const std::function<void(const v1::SelfTestProgress&)>& on_change) override {
    grpc::ClientContext context;
    SetDeadline(context, until);
    const auto reader = tests_->Watch(&context, request);
    return ReadAll<v1::SelfTestProgress>(*reader, on_change);
  }

 private:
  static void SetDeadline(grpc::ClientContext& context, absl::Time until) {
    if (until != absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(until));
  }

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout_));
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (!status.ok()) return Said(FromGrpc(status));
    return response;
  }

  template <typename Message, typename Reader>
  absl::Status ReadAll(Reader& reader, const std::function<void(const Message&)>& on_change) {
    Message message;
    while (reader.Read(&message)) on_change(message);
    const grpc::Status status = reader.Finish();
    return status.ok() ? absl::OkStatus() : Said(FromGrpc(status));
  }

  absl::Status Said(const absl::Status& status) const {
    if (absl::IsUnavailable(status) && !DetailOf(status)) return CantReach(server_, status);
    if (absl::IsDeadlineExceeded(status) && !DetailOf(status)) {
      return OutcomeError(status.code(), v1::OUTCOME_UNSPECIFIED,
                          absl::StrCat("no answer from the coordinator at ", server_, " in time"),
                          "wait longer with --timeout");
    }
    return status;
  }

  const std::string server_;
  const absl::Duration timeout_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::JobService::Stub> jobs_;
  const std::unique_ptr<v1::NodeService::Stub> nodes_;
  const std::unique_ptr<v1::ReceiptService::Stub> receipts_;
  const std::unique_ptr<v1::SelfTestService::Stub> tests_;
};

}  // namespace

std::unique_ptr<Coordinator> ConnectCoordinator(const std::string& server, absl::Duration timeout) {
  return std::make_unique<GrpcCoordinator>(server, timeout);
}

}  // namespace muster::cli
