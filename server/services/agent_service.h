#pragma once
// AgentService over the coordinator.

#include "proto/muster/v1/agent_service.grpc.pb.h"
#include "server/services/call.h"

namespace muster::services {

class AgentService final : public v1::AgentService::CallbackService {
 public:
  explicit AgentService(Backend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* Register(grpc::CallbackServerContext* context, const v1::RegisterRequest* request,
                                     v1::RegisterResponse* response) override;
  grpc::ServerUnaryReactor* NextTask(grpc::CallbackServerContext* context, const v1::NextTaskRequest* request,
                                     v1::NextTaskResponse* response) override;
  grpc::ServerUnaryReactor* ReportTask(grpc::CallbackServerContext* context, const v1::ReportTaskRequest* request,
                                       v1::ReportTaskResponse* response) override;

 private:
  Backend backend_;
};

}  // namespace muster::services
