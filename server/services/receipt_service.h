#pragma once
// ReceiptService. Reads go past the loop: receipts change in their annotations only.

#include "proto/muster/v1/receipt_service.grpc.pb.h"
#include "server/services/call.h"
#include "server/services/side_thread.h"

namespace muster::services {

class ReceiptService final : public v1::ReceiptService::CallbackService {
 public:
  // `side` reads the store.
  ReceiptService(Backend backend, SideThread& side) : backend_(backend), side_(side) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const v1::GetReceiptRequest* request,
                                v1::Receipt* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context, const v1::ListReceiptsRequest* request,
                                 v1::ListReceiptsResponse* response) override;
  grpc::ServerUnaryReactor* Compare(grpc::CallbackServerContext* context, const v1::CompareReceiptsRequest* request,
                                    v1::CompareReceiptsResponse* response) override;
  grpc::ServerUnaryReactor* Annotate(grpc::CallbackServerContext* context, const v1::AnnotateReceiptRequest* request,
                                     v1::Receipt* response) override;

 private:
  // Runs `read` on the side and answers with what it returns.
  template <typename T, typename Read>
  void OnSide(core::Reply<T> reply, Read read);

  Backend backend_;
  SideThread& side_;
};

}  // namespace muster::services
