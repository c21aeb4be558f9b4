#include "client/rpc/status.h"

#include "lib/base/errors.h"
#include "proto/muster/v1/outcome.pb.h"

namespace muster {

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status out(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  v1::StatusDetails details;
  v1::OutcomeDetail detail;
  if (details.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& any : details.details()) {
      if (any.UnpackTo(&detail)) SetDetail(out, detail);
    }
  }
  return out;
}

bool IsRetryable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status);
}

}  // namespace muster
