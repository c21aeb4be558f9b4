// musterd: the coordinator's process.

#include <prometheus/registry.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "server/core/loop_coordinator.h"
#include "server/core/system_clock.h"
#include "server/main/await_store.h"
#include "server/main/config.h"
#include "server/main/open_files.h"
#include "server/metrics/http_server.h"
#include "server/metrics/prometheus_metrics.h"
#include "server/services/rpc_server.h"
#include "server/store/memory_store.h"
#include "server/store/sqlite_store.h"

namespace muster::musterd {
namespace {

constexpr char kVersion[] = "0.1.0";
// Of the five seconds in which musterd is to stop.
constexpr absl::Duration kGrace = absl::Seconds(2);

// Fewer descriptors than this are too few for a gang of a thousand.
constexpr int64_t kFewFiles = 4096;

constexpr int kFailed = 1, kUsage = 2;

int Refuse(const absl::Status& status, int code) {
  std::fprintf(stderr, "musterd: %s\n", std::string(status.message()).c_str());
  return code;
}

// Why an address can't be had, and the flag that chooses another.
absl::Status Flagged(absl::string_view flag, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(flag, ": ", status.message(), "; choose another with ", flag));
}

std::string Expanded(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (path.rfind("~/", 0) != 0 || home == nullptr) return path;
  return absl::StrCat(home, path.substr(1));
}

absl::StatusOr<std::unique_ptr<store::Store>> OpenStore(const Config& config, metrics::PrometheusMetrics& metrics) {
  if (config.store == "memory") return store::MemoryStore::Open(std::make_shared<store::MemoryDisk>());
  store::SqliteOptions options;
  options.folder = Expanded(config.data);
  options.on_commit = [&metrics](const store::CommitStats& stats) { metrics.StoreCommitted(stats); };
  return store::OpenSqlite(std::move(options));
}

// Whole or not at all: who waits for the file may read it as soon as it is there.
absl::Status WritePorts(const std::string& path, const std::string& text) {
  if (path.empty()) return absl::OkStatus();
  const std::string temporary = absl::StrCat(path, ".", getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "w");
  const bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("--port-file: can't write ", path));
}

void SetUpLog(const std::string& level) {
  auto logger = spdlog::stderr_logger_mt("musterd");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }

bool ToldToStop(const sigset_t& signals, absl::Duration within) {
  const timespec wait = absl::ToTimespec(within);
  return sigtimedwait(&signals, nullptr, &wait) > 0;
}

int Serve(const Config& config, Effective effective, const sigset_t& signals) {
  SetUpLog(config.log_level);
  if (const int64_t files = RaiseOpenFiles(); files >= 0 && files < kFewFiles)
    spdlog::warn("event=few_open_files limit={} why=\"past it no new connection is taken; raise it with ulimit -Hn\"",
                 files);
  std::random_device random;
  effective.options.seed = (uint64_t{random()} << 32) | random();
  effective.options.version = kVersion;

  auto registry = std::make_shared<prometheus::Registry>();
  metrics::PrometheusMetrics metrics(registry, kVersion);
  absl::StatusOr<std::unique_ptr<store::Store>> store = AwaitStore(
      [&] { return OpenStore(config, metrics); }, [&](absl::Duration pause) { return !ToldToStop(signals, pause); });
  if (!store.ok()) return Refuse(store.status(), kFailed);
  if (*store == nullptr) return 0;

  core::SystemClock clock;
  core::LoopCoordinator coordinator(clock, **store, metrics, std::move(effective.tiers), std::move(effective.options));
  if (absl::Status recovered = coordinator.Recover(); !recovered.ok()) return Refuse(recovered, kFailed);
  coordinator.Start();

  std::unique_ptr<metrics::HttpServer> http;
  if (!config.metrics.empty()) {
    absl::StatusOr<std::unique_ptr<metrics::HttpServer>> started = metrics::HttpServer::Start(registry, config.metrics);
    if (!started.ok()) return Refuse(Flagged("--metrics", started.status()), kFailed);
    http = *std::move(started);
  }
  absl::StatusOr<std::unique_ptr<services::RpcServer>> server =
      services::RpcServer::Start(coordinator, metrics, config.listen);
  if (!server.ok()) return Refuse(Flagged("--listen", server.status()), kFailed);

  const int http_port = http == nullptr ? 0 : http->port();
  if (absl::Status ports =
          WritePorts(config.port_file, absl::StrCat("grpc=", (*server)->port(), "\nmetrics=", http_port, "\n"));
      !ports.ok())
    return Refuse(ports, kFailed);
  std::printf("musterd listening grpc=%s:%d metrics=%s:%d\n", HostOf(config.listen).c_str(), (*server)->port(),
              config.metrics.empty() ? "" : HostOf(config.metrics).c_str(), http_port);
  std::fflush(stdout);
  spdlog::info("event=listening address={} port={} term={} version={}", config.listen, (*server)->port(),
               (*store)->term().value(), kVersion);

  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("event=stopping signal={}", signal);
  (*server)->ShutDown(kGrace);
  coordinator.ShutDown();
  (*store)->Close();
  spdlog::info("event=stopped");
  spdlog::shutdown();
  // Nothing is left to be ended in order.
  std::_Exit(0);
}

int Main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // Before any thread starts, so that sigwait is the only one to see them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  std::string help;
  absl::StatusOr<Config> config = ReadConfig(argc, argv, &help);
  if (absl::IsOutOfRange(config.status())) return std::fputs(help.c_str(), stdout), 0;
  if (!config.ok()) return Refuse(config.status(), kUsage);
  if (config->version) return std::printf("musterd %s\n", kVersion), 0;
  absl::StatusOr<Effective> effective = Resolve(*config);
  if (!effective.ok()) return Refuse(effective.status(), kUsage);
  if (config->check_only) return std::fputs(ToYaml(*config).c_str(), stdout), 0;
  return Serve(*config, *std::move(effective), signals);
}

}  // namespace
}  // namespace muster::musterd

int main(int argc, char** argv) { return muster::musterd::Main(argc, argv); }
