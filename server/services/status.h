#pragma once
// Statuses on the wire: code, message, and in grpc-status-details-bin what a google.rpc.Status would hold, so that
// clients of any language find the OutcomeDetail.

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "lib/base/ids.h"

namespace muster::services {

// `term` goes into the detail. Messages are cut to what fits a header.
grpc::Status ToGrpc(const absl::Status& status, Term term);

}  // namespace muster::services
