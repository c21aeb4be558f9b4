#pragma once
// WorkerService over the coordinator.

#include "proto/muster/v1/worker_service.grpc.pb.h"
#include "server/services/call.h"

namespace muster::services {

class WorkerService final : public v1::WorkerService::CallbackService {
 public:
  explicit WorkerService(Backend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* GetRank(grpc::CallbackServerContext* context, const v1::GetRankRequest* request,
                                    v1::GetRankResponse* response) override;
  grpc::ServerUnaryReactor* WatchGang(grpc::CallbackServerContext* context, const v1::WatchGangRequest* request,
                                      v1::WatchGangResponse* response) override;
  grpc::ServerUnaryReactor* ReportExit(grpc::CallbackServerContext* context, const v1::ReportExitRequest* request,
                                       v1::ReportExitResponse* response) override;

 private:
  Backend backend_;
};

}  // namespace muster::services
