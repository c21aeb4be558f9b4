#pragma once
// The settings of musterd: flags, and a YAML file of the same names. A flag on the command line goes before the file.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/topology/tiers.h"
#include "server/core/options.h"

namespace muster::musterd {

struct Config {
  std::string listen = "127.0.0.1:7070";
  // Empty: no HTTP.
  std::string metrics = "127.0.0.1:7071";
  std::string data = "~/.muster";
  // "sqlite", or "memory" (nothing survives a restart).
  std::string store = "sqlite";
  std::string tier_labels;
  std::string fabric = "any";
  std::string may_waive;
  std::string log_level = "info";
  std::string port_file;
  bool insecure_beyond_loopback = false;

  std::string ageing = "24h", shares, quotas, priority_classes;
  bool preemption = false;
  std::string agent_lease = "30s", member_lease = "60s", retry_period = "10s", quarantine = "1h";
  int64_t max_jobs = 10'000, max_nodes = 20'000, max_waiting_calls = 200'000, max_watchers = 10'000,
          keep_finished = 1'000, max_job_bytes = int64_t{4} << 30, keep_receipts = 10'000;

  bool check_only = false;
  bool version = false;
};

// INVALID_ARGUMENT: a flag or a line of the file, named, with the way out. OUT_OF_RANGE: not an error, `help` is what
// the user asked to see.
absl::StatusOr<Config> ReadConfig(int argc, const char* const* argv, std::string* help);

// What the settings mean to the coordinator. INVALID_ARGUMENT naming the flag; also for an address beyond loopback
// without the flag that allows it.
struct Effective {
  core::Options options;
  Tiers tiers;
};
absl::StatusOr<Effective> Resolve(const Config& config);

// As a file that ReadConfig reads back.
std::string ToYaml(const Config& config);

// "host:port" of a loopback address (127.0.0.0/8, ::1, localhost, unix:).
bool IsLoopback(const std::string& address);

}  // namespace muster::musterd
