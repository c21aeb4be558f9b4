#pragma once
// A gRPC status as an absl::Status with Muster's detail (lib/base/errors.h), from google.rpc.Status in the call's
// details.

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace muster {

absl::Status FromGrpc(const grpc::Status& status);

// UNAVAILABLE and DEADLINE_EXCEEDED: the call may be repeated for ever; RESOURCE_EXHAUSTED: after retry_after. All else
// is final.
bool IsRetryable(const absl::Status& status);

}  // namespace muster
