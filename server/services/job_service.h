#pragma once
// JobService over the coordinator.

#include "proto/muster/v1/job_service.grpc.pb.h"
#include "server/services/call.h"
#include "server/services/side_thread.h"

namespace muster::services {

class JobService final : public v1::JobService::CallbackService {
 public:
  // `side` makes plans, which may take long.
  JobService(Backend backend, SideThread& side) : backend_(backend), side_(side) {}

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context, const v1::SubmitRequest* request,
                                   v1::SubmitResponse* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const v1::GetJobRequest* request,
                                v1::Job* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                 v1::ListJobsResponse* response) override;
  grpc::ServerWriteReactor<v1::Job>* Watch(grpc::CallbackServerContext* context,
                                           const v1::WatchJobRequest* request) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context, const v1::CancelJobRequest* request,
                                   v1::Job* response) override;
  grpc::ServerUnaryReactor* Plan(grpc::CallbackServerContext* context, const v1::PlanRequest* request,
                                 v1::PlanResponse* response) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context, const v1::ExplainRequest* request,
                                    v1::Explanation* response) override;

 private:
  Backend backend_;
  SideThread& side_;
};

}  // namespace muster::services
