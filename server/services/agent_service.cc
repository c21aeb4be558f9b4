#include "server/services/agent_service.h"

#include <utility>

namespace muster::services {

grpc::ServerUnaryReactor* AgentService::Register(grpc::CallbackServerContext* context,
                                                 const v1::RegisterRequest* request, v1::RegisterResponse* response) {
  return Unary(
      backend_, "AgentService/Register", context, request, response,
      [&](core::Reply<v1::RegisterResponse> reply) { backend_.coordinator.RegisterAgent(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* AgentService::NextTask(grpc::CallbackServerContext*, const v1::NextTaskRequest* request,
                                                 v1::NextTaskResponse* response) {
  return LongPoll(
      backend_, "AgentService/NextTask", request, response,
      [this](core::CallId id) { backend_.coordinator.Abandon(id); },
      [&](core::CallId id, core::Reply<v1::NextTaskResponse> reply) {
        backend_.coordinator.NextTask(id, *request, PollOf(*request), std::move(reply));
      });
}

grpc::ServerUnaryReactor* AgentService::ReportTask(grpc::CallbackServerContext* context,
                                                   const v1::ReportTaskRequest* request,
                                                   v1::ReportTaskResponse* response) {
  return Unary(
      backend_, "AgentService/ReportTask", context, request, response,
      [&](core::Reply<v1::ReportTaskResponse> reply) { backend_.coordinator.ReportTask(*request, std::move(reply)); });
}

}  // namespace muster::services
