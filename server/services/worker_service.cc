#include "server/services/worker_service.h"

#include <utility>

namespace muster::services {

grpc::ServerUnaryReactor* WorkerService::GetRank(grpc::CallbackServerContext*, const v1::GetRankRequest* request,
                                                 v1::GetRankResponse* response) {
  return LongPoll(
      backend_, "WorkerService/GetRank", request, response,
      [this](core::CallId id) { backend_.coordinator.Abandon(id); },
      [&](core::CallId id, core::Reply<v1::GetRankResponse> reply) {
        backend_.coordinator.GetRank(id, *request, PollOf(*request), std::move(reply));
      });
}

grpc::ServerUnaryReactor* WorkerService::WatchGang(grpc::CallbackServerContext*, const v1::WatchGangRequest* request,
                                                   v1::WatchGangResponse* response) {
  return LongPoll(
      backend_, "WorkerService/WatchGang", request, response,
      [this](core::CallId id) { backend_.coordinator.Abandon(id); },
      [&](core::CallId id, core::Reply<v1::WatchGangResponse> reply) {
        backend_.coordinator.WatchGang(id, *request, PollOf(*request), std::move(reply));
      });
}

grpc::ServerUnaryReactor* WorkerService::ReportExit(grpc::CallbackServerContext* context,
                                                    const v1::ReportExitRequest* request,
                                                    v1::ReportExitResponse* response) {
  return Unary(
      backend_, "WorkerService/ReportExit", context, request, response,
      [&](core::Reply<v1::ReportExitResponse> reply) { backend_.coordinator.ReportExit(*request, std::move(reply)); });
}

}  // namespace muster::services
