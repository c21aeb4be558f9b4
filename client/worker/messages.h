#pragma once
// What `muster exec` tells its user while it waits, when it starts, and how it ends.

#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/assignment.pb.h"
#include "proto/muster/v1/outcome.pb.h"
#include "proto/muster/v1/worker_service.pb.h"

namespace muster::worker {

// "waiting for 3 of 8 members (indexes 4, 6, 7) · self-test: pp 24 of 32 groups done · 1m12s"
std::string DescribeNotReady(const v1::NotReady& not_ready, absl::Duration waited);
// "member 5 → node rank 2 of 8, global ranks 16–23 of 64 · epoch 1 · receipt rcp-7f3a"
std::string DescribeAssignment(const v1::Assignment& assignment);
// Not empty where JOB_COMPLETION_INDEX in the environment differs from the node rank: scripts that use it would be
// wrong.
std::string IndexWarning(const v1::Assignment& assignment);

// The exit code of `muster exec` for a final error, or for STOP_AND_LEAVE (outcome.proto's table).
int ExitCodeOf(const absl::Status& status);
int ExitCodeFor(v1::Outcome outcome);

// Prints progress when it changes, and else every 30 s. Thread-safe.
class ProgressPrinter {
 public:
  // nullptr: silent.
  explicit ProgressPrinter(std::FILE* out);
  void Progress(const v1::NotReady& not_ready);
  void Trouble(const absl::Status& status);

 private:
  void Print(const std::string& key, const std::string& line);

  std::FILE* const out_;
  const absl::Time start_;
  Mutex mu_;
  std::string last_ ABSL_GUARDED_BY(mu_);
  absl::Time printed_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();
};

}  // namespace muster::worker
