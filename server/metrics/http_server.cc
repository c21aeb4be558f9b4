#include "server/metrics/http_server.h"

#include <CivetServer.h>
#include <prometheus/text_serializer.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/net/listening.h"

namespace muster::metrics {
namespace {

void Reply(mg_connection* connection, const char* type, const std::string& body) {
  mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", type,
            body.size());
  mg_write(connection, body.data(), body.size());
}

class MetricsPage final : public CivetHandler {
 public:
  explicit MetricsPage(std::shared_ptr<prometheus::Registry> registry) : registry_(std::move(registry)) {}
  bool handleGet(CivetServer*, mg_connection* connection) override {
    Reply(connection, "text/plain; version=0.0.4; charset=utf-8",
          prometheus::TextSerializer().Serialize(registry_->Collect()));
    return true;
  }

 private:
  const std::shared_ptr<prometheus::Registry> registry_;
};

class HealthPage final : public CivetHandler {
 public:
  bool handleGet(CivetServer*, mg_connection* connection) override {
    Reply(connection, "text/plain; charset=utf-8", "ok\n");
    return true;
  }
};

// A caller that sends no request holds a thread until its time is over: many threads, little time, and nobody keeps a
// connection.
std::vector<std::string> Settings(const std::string& address) {
  return {"listening_ports",   address, "num_threads",      "32", "request_timeout_ms", "1000",
          "enable_keep_alive", "no",    "connection_queue", "128"};
}

class Impl final : public HttpServer {
 public:
  Impl(std::shared_ptr<prometheus::Registry> registry, const std::string& address)
      : metrics_(std::move(registry)), server_(Settings(address)) {
    server_.addHandler("/metrics", metrics_);
    server_.addHandler("/healthz", health_);
  }
  int port() const override { return const_cast<CivetServer&>(server_).getListeningPorts().at(0); }

 private:
  MetricsPage metrics_;
  HealthPage health_;
  CivetServer server_;  // last: its threads use the pages
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(std::shared_ptr<prometheus::Registry> registry,
                                                              const std::string& address) {
  // CivetServer's constructor throws where it can't listen, and doesn't say why: the same is tried without it first.
  if (absl::Status possible = net::Listening::At(address).status(); !possible.ok()) return possible;
  try {
    return std::make_unique<Impl>(std::move(registry), address);
  } catch (const std::exception& e) {
    return absl::UnavailableError(absl::StrCat("can't listen on ", address, " for metrics: ", e.what()));
  }
}

}  // namespace muster::metrics
