#include "server/services/receipt_service.h"

#include <memory>
#include <string>
#include <utility>

#include "google/protobuf/util/message_differencer.h"
#include "lib/selftest/compare.h"
#include "server/core/answers.h"
#include "server/core/receipts.h"

namespace muster::services {
namespace {

absl::StatusOr<v1::ListReceiptsResponse> ListOf(store::Store& store, const std::string& job_uid,
                                                const v1::ListReceiptsRequest& request) {
  auto page = core::ListReceipts(store, job_uid, request.page_token(), request.page_size());
  if (!page.ok()) return page.status();
  v1::ListReceiptsResponse response;
  for (v1::Receipt& receipt : page->first) *response.add_receipts() = std::move(receipt);
  response.set_next_page_token(page->second);
  return response;
}

absl::StatusOr<v1::CompareReceiptsResponse> CompareOf(store::Store& store, const v1::CompareReceiptsRequest& request) {
  absl::StatusOr<v1::Receipt> left = core::ReadReceipt(store, request.left());
  if (!left.ok()) return left.status();
  absl::StatusOr<v1::Receipt> right = core::ReadReceipt(store, request.right());
  if (!right.ok()) return right.status();
  v1::CompareReceiptsResponse response;
  response.set_same_placement(left->placement_digest() == right->placement_digest());
  response.set_same_shape(left->members() == right->members() &&
                          left->workers_per_member() == right->workers_per_member() &&
                          google::protobuf::util::MessageDifferencer::Equals(left->mesh(), right->mesh()));
  for (v1::ReceiptDifference& difference : selftest::Compare(*left, *right))
    *response.add_differences() = std::move(difference);
  return response;
}

}  // namespace

template <typename T, typename Read>
void ReceiptService::OnSide(core::Reply<T> reply, Read read) {
  auto shared = std::make_shared<core::Reply<T>>(std::move(reply));
  if (!side_.Run([shared, read = std::move(read)] { (*shared)(read()); }))
    (*shared)(core::Overloaded("too many receipts are being read"));
}

grpc::ServerUnaryReactor* ReceiptService::Get(grpc::CallbackServerContext* context,
                                              const v1::GetReceiptRequest* request, v1::Receipt* response) {
  return Unary(backend_, "ReceiptService/Get", context, request, response, [&](core::Reply<v1::Receipt> reply) {
    OnSide<v1::Receipt>(std::move(reply), [&store = backend_.coordinator.store(), id = request->id()] {
      return core::ReadReceipt(store, id);
    });
  });
}

grpc::ServerUnaryReactor* ReceiptService::List(grpc::CallbackServerContext* context,
                                               const v1::ListReceiptsRequest* request,
                                               v1::ListReceiptsResponse* response) {
  return Unary(
      backend_, "ReceiptService/List", context, request, response, [&](core::Reply<v1::ListReceiptsResponse> reply) {
        auto shared = std::make_shared<core::Reply<v1::ListReceiptsResponse>>(std::move(reply));
        const auto list = [this, shared, request = *request](const std::string& job_uid) {
          OnSide<v1::ListReceiptsResponse>(
              [shared](absl::StatusOr<v1::ListReceiptsResponse> answer) { (*shared)(std::move(answer)); },
              [&store = backend_.coordinator.store(), job_uid, request] { return ListOf(store, job_uid, request); });
        };
        if (!request->has_job() || !request->job().uid().empty()) return list(request->job().uid());
        v1::GetJobRequest job;
        *job.mutable_job() = request->job();
        backend_.coordinator.GetJob(std::move(job), [shared, list](absl::StatusOr<v1::Job> found) {
          if (!found.ok()) return (*shared)(found.status());
          list(found->uid());
        });
      });
}

grpc::ServerUnaryReactor* ReceiptService::Compare(grpc::CallbackServerContext* context,
                                                  const v1::CompareReceiptsRequest* request,
                                                  v1::CompareReceiptsResponse* response) {
  return Unary(backend_, "ReceiptService/Compare", context, request, response,
               [&](core::Reply<v1::CompareReceiptsResponse> reply) {
                 OnSide<v1::CompareReceiptsResponse>(
                     std::move(reply),
                     [&store = backend_.coordinator.store(), request = *request] { return CompareOf(store, request); });
               });
}

grpc::ServerUnaryReactor* ReceiptService::Annotate(grpc::CallbackServerContext* context,
                                                   const v1::AnnotateReceiptRequest* request, v1::Receipt* response) {
  return Unary(backend_, "ReceiptService/Annotate", context, request, response,
               [&](core::Reply<v1::Receipt> reply) { backend_.coordinator.Annotate(*request, std::move(reply)); });
}

}  // namespace muster::services
