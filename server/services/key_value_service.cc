#include "server/services/key_value_service.h"

#include <utility>

#include "server/core/key_values.h"

namespace muster::services {
grpc::ServerUnaryReactor* KeyValueService::Set(grpc::CallbackServerContext* context, const v1::SetRequest* request,
                                               v1::SetResponse* response) {
  return Unary(backend_, "KeyValueService/Set", context, request, response,
               [&](core::Reply<v1::SetResponse> reply) { values().Set(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* KeyValueService::Get(grpc::CallbackServerContext* context, const v1::GetRequest* request,
                                               v1::GetResponse* response) {
  return Unary(backend_, "KeyValueService/Get", context, request, response,
               [&](core::Reply<v1::GetResponse> reply) { values().Get(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* KeyValueService::Wait(grpc::CallbackServerContext*, const v1::WaitRequest* request,
                                                v1::GetResponse* response) {
  return LongPoll(
      backend_, "KeyValueService/Wait", request, response, [this](core::CallId id) { values().Abandon(id); },
      [&](core::CallId id, core::Reply<v1::GetResponse> reply) {
        values().Wait(id, *request, PollOf(request->has_timeout(), request->timeout()), std::move(reply));
      });
}

grpc::ServerUnaryReactor* KeyValueService::Add(grpc::CallbackServerContext* context, const v1::AddRequest* request,
                                               v1::AddResponse* response) {
  return Unary(backend_, "KeyValueService/Add", context, request, response,
               [&](core::Reply<v1::AddResponse> reply) { values().Add(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* KeyValueService::CompareAndSet(grpc::CallbackServerContext* context,
                                                         const v1::CompareAndSetRequest* request,
                                                         v1::CompareAndSetResponse* response) {
  return Unary(
      backend_, "KeyValueService/CompareAndSet", context, request, response,
      [&](core::Reply<v1::CompareAndSetResponse> reply) { values().CompareAndSet(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* KeyValueService::Delete(grpc::CallbackServerContext* context,
                                                  const v1::DeleteRequest* request, v1::DeleteResponse* response) {
  return Unary(backend_, "KeyValueService/Delete", context, request, response,
               [&](core::Reply<v1::DeleteResponse> reply) { values().Delete(*request, std::move(reply)); });
}

}  // namespace muster::services
