#pragma once
// The shape of every unary handler: check the form, hand over, finish once. Handlers never wait and take no lock.

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/core/coordinator.h"
#include "server/services/request_checks.h"
#include "server/services/rpc_metrics.h"
#include "server/services/status.h"

namespace muster::services {

// What handlers share; outlives them.
struct Backend {
  core::Coordinator& coordinator;
  RpcMetrics& metrics;
  Term term() const { return coordinator.store().term(); }
};

// One call's end, counted.
class CallEnd {
 public:
  CallEnd(Backend& backend, const char* method) : backend_(backend), method_(method), began_(absl::Now()) {}
  grpc::Status operator()(const absl::Status& status) const {
    backend_.metrics.Ended(method_, status.code(), absl::Now() - began_);
    return ToGrpc(status, backend_.term());
  }

 private:
  Backend& backend_;
  const char* method_;
  absl::Time began_;
};

// A call that is answered soon: `start(reply)` hands it over.
template <typename Request, typename Response, typename Start>
grpc::ServerUnaryReactor* Unary(Backend& backend, const char* method, grpc::CallbackServerContext* context,
                                const Request* request, Response* response, Start start) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const CallEnd end(backend, method);
  if (absl::Status form = Check(*request); !form.ok()) {
    reactor->Finish(end(form));
    return reactor;
  }
  start(core::Reply<Response>([reactor, response, end](absl::StatusOr<Response> answer) {
    if (answer.ok()) *response = *std::move(answer);
    reactor->Finish(end(answer.status()));
  }));
  return reactor;
}

// A long poll: the same, but when the caller hangs up `abandon` is called, after which the reply comes soon.
class HeldCall final : public grpc::ServerUnaryReactor {
 public:
  explicit HeldCall(std::function<void()> abandon) : abandon_(std::move(abandon)) {}
  void OnCancel() override { abandon_(); }
  void OnDone() override { delete this; }

 private:
  const std::function<void()> abandon_;
};

template <typename Request, typename Response, typename Start>
grpc::ServerUnaryReactor* LongPoll(Backend& backend, const char* method, const Request* request, Response* response,
                                   std::function<void(core::CallId)> abandon, Start start) {
  const core::CallId id = backend.coordinator.NewCall();
  auto* reactor = new HeldCall([abandon = std::move(abandon), id] { abandon(id); });
  const CallEnd end(backend, method);
  if (absl::Status form = Check(*request); !form.ok()) {
    reactor->Finish(end(form));
    return reactor;
  }
  start(id, core::Reply<Response>([reactor, response, end](absl::StatusOr<Response> answer) {
          if (answer.ok()) *response = *std::move(answer);
          reactor->Finish(end(answer.status()));
        }));
  return reactor;
}

}  // namespace muster::services
