#include "server/services/node_service.h"

#include <utility>

namespace muster::services {

grpc::ServerUnaryReactor* NodeService::List(grpc::CallbackServerContext* context, const v1::ListNodesRequest* request,
                                            v1::ListNodesResponse* response) {
  return Unary(backend_, "NodeService/List", context, request, response, [&](core::Reply<v1::ListNodesResponse> reply) {
    backend_.coordinator.ListNodes(*request, std::move(reply));
  });
}

grpc::ServerUnaryReactor* NodeService::Get(grpc::CallbackServerContext* context, const v1::GetNodeRequest* request,
                                           v1::Node* response) {
  return Unary(backend_, "NodeService/Get", context, request, response,
               [&](core::Reply<v1::Node> reply) { backend_.coordinator.GetNode(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* NodeService::Quarantine(grpc::CallbackServerContext* context,
                                                  const v1::QuarantineRequest* request, v1::Node* response) {
  return Unary(backend_, "NodeService/Quarantine", context, request, response,
               [&](core::Reply<v1::Node> reply) { backend_.coordinator.QuarantineNode(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* NodeService::Readmit(grpc::CallbackServerContext* context, const v1::ReadmitRequest* request,
                                               v1::Node* response) {
  return Unary(backend_, "NodeService/Readmit", context, request, response,
               [&](core::Reply<v1::Node> reply) { backend_.coordinator.Readmit(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* NodeService::Drain(grpc::CallbackServerContext* context, const v1::DrainRequest* request,
                                             v1::Node* response) {
  return Unary(backend_, "NodeService/Drain", context, request, response,
               [&](core::Reply<v1::Node> reply) { backend_.coordinator.Drain(*request, std::move(reply)); });
}

}  // namespace muster::services
