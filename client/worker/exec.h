#pragma once
// `muster exec`: waits for the rank, starts the command with it, forwards signals and exit codes, and stops the command
// when its epoch is over.

#include <grpcpp/channel.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/muster/v1/identity.pb.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::worker {

struct ExecOptions {
  std::string server;
  v1::JobRef job;
  int32_t pod_index = 0;
  v1::Incarnation incarnation;
  std::string node;
  std::string address;
  // Where the command's output is kept, for people; empty: nobody keeps it.
  std::string logs;
  // Start the command once a member, or once a worker. Absent: once a member for launchers that make their own workers
  // (torchrun, deepspeed, accelerate, python -m torch.distributed.run), else once a worker.
  std::optional<bool> per_member;
  // Between SIGTERM and SIGKILL of a command that must stop.
  absl::Duration grace = absl::Seconds(10);
  bool quiet = false;
  std::vector<std::string> command;
};

// Exit codes of its own; the command's otherwise (outcome.proto).
inline constexpr int kExitUsage = 2;
inline constexpr int kExitDoNotRequeue = 93;
inline constexpr int kExitSuperseded = 94;
inline constexpr int kExitWrongNode = 95;
inline constexpr int kExitUnknownJob = 96;
inline constexpr int kExitTrouble = 97;

// Whether the command makes its own workers.
bool IsLauncher(const std::vector<std::string>& command);

// Runs to the end and returns the exit code. Call from the main thread of a program whose other threads don't exist
// yet: it blocks the signals that it forwards (HUP, INT, QUIT, TERM, USR1, USR2) for all threads made after it.
int Exec(const ExecOptions& options);

}  // namespace muster::worker
