#pragma once
// KeyValueService over the core's key-value scopes; doesn't pass through the loop.

#include "proto/muster/v1/key_value_service.grpc.pb.h"
#include "server/services/call.h"

namespace muster::services {

class KeyValueService final : public v1::KeyValueService::CallbackService {
 public:
  explicit KeyValueService(Backend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* Set(grpc::CallbackServerContext* context, const v1::SetRequest* request,
                                v1::SetResponse* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const v1::GetRequest* request,
                                v1::GetResponse* response) override;
  grpc::ServerUnaryReactor* Wait(grpc::CallbackServerContext* context, const v1::WaitRequest* request,
                                 v1::GetResponse* response) override;
  grpc::ServerUnaryReactor* Add(grpc::CallbackServerContext* context, const v1::AddRequest* request,
                                v1::AddResponse* response) override;
  grpc::ServerUnaryReactor* CompareAndSet(grpc::CallbackServerContext* context, const v1::CompareAndSetRequest* request,
                                          v1::CompareAndSetResponse* response) override;
  grpc::ServerUnaryReactor* Delete(grpc::CallbackServerContext* context, const v1::DeleteRequest* request,
                                   v1::DeleteResponse* response) override;

 private:
  core::KeyValues& values() { return backend_.coordinator.key_values(); }
  Backend backend_;
};

}  // namespace muster::services
