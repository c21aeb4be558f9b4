#pragma once
// What the services count, without knowing who shows it.

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace muster::services {

// Any thread.
class RpcMetrics {
 public:
  virtual ~RpcMetrics() = default;
  // `method`: "JobService/Submit"; lives for ever.
  virtual void Ended(const char* /*method*/, absl::StatusCode /*code*/, absl::Duration /*took*/) {}
  // There were no descriptors for it.
  virtual void ConnectionRefused() {}
};

}  // namespace muster::services
