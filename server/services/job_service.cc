#include "server/services/job_service.h"

#include <memory>
#include <utility>

#include "server/core/answers.h"
#include "server/core/explain.h"
#include "server/services/job_stream.h"
#include "server/services/plan.h"

namespace muster::services {
namespace {

absl::Status TooMany() { return core::Overloaded("too many plans and explanations are being made"); }

}  // namespace

grpc::ServerUnaryReactor* JobService::Submit(grpc::CallbackServerContext* context, const v1::SubmitRequest* request,
                                             v1::SubmitResponse* response) {
  return Unary(backend_, "JobService/Submit", context, request, response,
               [&](core::Reply<v1::SubmitResponse> reply) { backend_.coordinator.Submit(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* JobService::Get(grpc::CallbackServerContext* context, const v1::GetJobRequest* request,
                                          v1::Job* response) {
  return Unary(backend_, "JobService/Get", context, request, response,
               [&](core::Reply<v1::Job> reply) { backend_.coordinator.GetJob(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* JobService::List(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                           v1::ListJobsResponse* response) {
  return Unary(backend_, "JobService/List", context, request, response, [&](core::Reply<v1::ListJobsResponse> reply) {
    backend_.coordinator.ListJobs(*request, std::move(reply));
  });
}

grpc::ServerWriteReactor<v1::Job>* JobService::Watch(grpc::CallbackServerContext*, const v1::WatchJobRequest* request) {
  auto* stream = new JobStream<v1::Job>(backend_, "JobService/Watch", [](const v1::Job& job) {
    return std::make_pair(job, job.phase() == v1::FINISHED);
  });
  stream->Begin(Check(*request), request->job());
  return stream;
}

grpc::ServerUnaryReactor* JobService::Cancel(grpc::CallbackServerContext* context, const v1::CancelJobRequest* request,
                                             v1::Job* response) {
  return Unary(backend_, "JobService/Cancel", context, request, response,
               [&](core::Reply<v1::Job> reply) { backend_.coordinator.CancelJob(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* JobService::Plan(grpc::CallbackServerContext* context, const v1::PlanRequest* request,
                                           v1::PlanResponse* response) {
  return Unary(backend_, "JobService/Plan", context, request, response, [&](core::Reply<v1::PlanResponse> reply) {
    auto shared = std::make_shared<core::Reply<v1::PlanResponse>>(std::move(reply));
    const auto plan = [this, shared, request = *request](absl::StatusOr<placement::Cluster> cluster) {
      if (!cluster.ok()) return (*shared)(cluster.status());
      const bool taken = side_.Run([this, shared, request, cluster = *std::move(cluster)] {
        (*shared)(PlanJob(request, cluster, backend_.coordinator.tiers()));
      });
      if (!taken) (*shared)(TooMany());
    };
    // Nodes that are given stand instead of the live ones.
    if (request->nodes_size() > 0) return plan(placement::Cluster());
    backend_.coordinator.Snapshot(plan);
  });
}

grpc::ServerUnaryReactor* JobService::Explain(grpc::CallbackServerContext* context, const v1::ExplainRequest* request,
                                              v1::Explanation* response) {
  return Unary(backend_, "JobService/Explain", context, request, response, [&](core::Reply<v1::Explanation> reply) {
    auto shared = std::make_shared<core::Reply<v1::Explanation>>(std::move(reply));
    backend_.coordinator.ExplainJob(*request, [this, shared](absl::StatusOr<core::ToExplain> to) {
      if (!to.ok()) return (*shared)(to.status());
      if (!side_.Run([shared, to = *std::move(to)] { (*shared)(core::Explain(to)); })) (*shared)(TooMany());
    });
  });
}

}  // namespace muster::services
