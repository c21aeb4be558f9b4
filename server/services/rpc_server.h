#pragma once
// The gRPC server: all services, health and reflection, on one address.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/core/coordinator.h"
#include "server/services/rpc_metrics.h"

namespace muster::services {

// Move-only in spirit: held by pointer. The coordinator and the metrics outlive it.
class RpcServer {
 public:
  // Without TLS. Errors: as net::Listening::At. However many connect, some descriptors are kept for the rest of the
  // process (net::Acceptor).
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(core::Coordinator& coordinator, RpcMetrics& metrics,
                                                          const std::string& address);
  virtual ~RpcServer() = default;

  // The port chosen where the address has 0.
  virtual int port() const = 0;
  // Says NOT_SERVING, answers what is held (the coordinator is shut down with it) and ends within `grace`. Idempotent.
  virtual void ShutDown(absl::Duration grace) = 0;
};

}  // namespace muster::services
