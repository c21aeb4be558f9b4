#pragma once
// SelfTestService over the coordinator.

#include "proto/muster/v1/self_test_service.grpc.pb.h"
#include "server/services/call.h"

namespace muster::services {

class SelfTestService final : public v1::SelfTestService::CallbackService {
 public:
  explicit SelfTestService(Backend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* Start(grpc::CallbackServerContext* context, const v1::StartSelfTestRequest* request,
                                  v1::StartSelfTestResponse* response) override;
  grpc::ServerWriteReactor<v1::SelfTestProgress>* Watch(grpc::CallbackServerContext* context,
                                                        const v1::WatchSelfTestRequest* request) override;

 private:
  Backend backend_;
};

}  // namespace muster::services
