#include "server/services/key_value_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster::services {
namespace {

// gRPC's own limit is 4 MiB a message.
constexpr size_t kLargestAnswer = (size_t{3} << 20) + (size_t{1} << 16);

core::Reply<v1::GetResponse> Bounded(core::Reply<v1::GetResponse> reply) {
  return [reply = std::move(reply)](absl::StatusOr<v1::GetResponse> answer) mutable {
    if (answer.ok() && answer->ByteSizeLong() > kLargestAnswer)
      answer = FieldError("keys", absl::StrCat("their values have ", answer->ByteSizeLong(), " bytes"),
                          "ask for fewer: at most 3 MiB an answer");
    reply(std::move(answer));
  };
}

}  // namespace

grpc::ServerUnaryReactor* KeyValueService::Set(grpc::CallbackServerContext* context, const v1::SetRequest* request,
                                               v1::SetResponse* response) {
  return Unary(backend_, "KeyValueService/Set", context, request, response,
               [&](core::Reply<v1::SetResponse> reply) { values().Set(*request, std::move(reply)); });
}

grpc::ServerUnaryReactor* KeyValueService::Get(grpc::CallbackServerContext* context, const v1::GetRequest* request,
                                               v1::GetResponse* response) {
  return Unary(backend_, "KeyValueService/Get", context, request, response,
               [&](core::Reply<v1::GetResponse> reply) { values().Get(*request, Bounded(std::move(reply))); });
}

grpc::ServerUnaryReactor* KeyValueService::Wait(grpc::CallbackServerContext*, const v1::WaitRequest* request,
                                                v1::GetResponse* response) {
  return LongPoll(
      backend_, "KeyValueService/Wait", request, response, [this](core::CallId id) { values().Abandon(id); },
      [&](core::CallId id, core::Reply<v1::GetResponse> reply) {
        values().Wait(id, *request, PollOf(request->has_timeout(), request->timeout()), Bounded(std::move(reply)));
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
