#include "server/services/self_test_service.h"

#include <utility>

#include "server/core/receipts.h"
#include "server/services/job_stream.h"

namespace muster::services {
namespace {

// Whether no test of the job is running or to come.
bool Concluded(const v1::Job& job) {
  switch (job.phase()) {
    case v1::ASSEMBLING:
    case v1::RUNNING:
    case v1::FINISHED:
      return true;
    case v1::STOPPING:
      return job.stopping_next() == v1::FINISHED;
    default:
      return false;
  }
}

std::pair<v1::SelfTestProgress, bool> ProgressOf(core::Coordinator& coordinator, const v1::Job& job) {
  v1::SelfTestProgress progress;
  progress.set_phase(job.phase());
  if (job.has_test_progress()) *progress.mutable_progress() = job.test_progress();
  progress.set_summary(job.why());
  const bool last = Concluded(job);
  if (last && !job.receipt_id().empty()) {
    progress.set_receipt_id(job.receipt_id());
    if (absl::StatusOr<v1::Receipt> receipt = core::ReadReceipt(coordinator.store(), job.receipt_id()); receipt.ok()) {
      progress.set_verdict(receipt->verdict());
      progress.set_summary(receipt->summary());
    }
  }
  return {std::move(progress), last};
}

}  // namespace

grpc::ServerUnaryReactor* SelfTestService::Start(grpc::CallbackServerContext* context,
                                                 const v1::StartSelfTestRequest* request,
                                                 v1::StartSelfTestResponse* response) {
  return Unary(backend_, "SelfTestService/Start", context, request, response,
               [&](core::Reply<v1::StartSelfTestResponse> reply) {
                 backend_.coordinator.StartSelfTest(*request, std::move(reply));
               });
}

grpc::ServerWriteReactor<v1::SelfTestProgress>* SelfTestService::Watch(grpc::CallbackServerContext*,
                                                                       const v1::WatchSelfTestRequest* request) {
  auto* stream = new JobStream<v1::SelfTestProgress>(
      backend_, "SelfTestService/Watch",
      [&coordinator = backend_.coordinator](const v1::Job& job) { return ProgressOf(coordinator, job); });
  stream->Begin(Check(*request), request->job());
  return stream;
}

}  // namespace muster::services
