#pragma once
// NodeService over the coordinator.

#include "proto/muster/v1/node_service.grpc.pb.h"
#include "server/services/call.h"

namespace muster::services {

class NodeService final : public v1::NodeService::CallbackService {
 public:
  explicit NodeService(Backend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context, const v1::ListNodesRequest* request,
                                 v1::ListNodesResponse* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const v1::GetNodeRequest* request,
                                v1::Node* response) override;
  grpc::ServerUnaryReactor* Quarantine(grpc::CallbackServerContext* context, const v1::QuarantineRequest* request,
                                       v1::Node* response) override;
  grpc::ServerUnaryReactor* Readmit(grpc::CallbackServerContext* context, const v1::ReadmitRequest* request,
                                    v1::Node* response) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* context, const v1::DrainRequest* request,
                                  v1::Node* response) override;

 private:
  Backend backend_;
};

}  // namespace muster::services
