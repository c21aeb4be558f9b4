#pragma once
// The HTTP side: /metrics for Prometheus, /healthz for probes.

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace muster::metrics {

class HttpServer {
 public:
  // `address` as "127.0.0.1:7071". UNAVAILABLE: it can't be listened on.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(std::shared_ptr<prometheus::Registry> registry,
                                                           const std::string& address);
  virtual ~HttpServer() = default;
  // The port chosen where the address has 0.
  virtual int port() const = 0;
};

}  // namespace muster::metrics
