#pragma once
// How a command ends, for scripts: the table of docs/guide/cli.md. (`muster exec` has its own, outcome.proto.)

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/cli/screen.h"

namespace muster::cli {

enum ExitCode {
  kExitOk = 0,
  // The answer is no: the job or the self-test failed, the plan doesn't fit.
  kExitNo = 1,
  // The command line is wrong, or a file that it names can't be read.
  kExitUsage = 2,
  kExitNotFound = 3,
  // The coordinator can't be reached.
  kExitUnreachable = 4,
  // The job file or the request is invalid.
  kExitInvalid = 5,
  // Valid, but not as things stand: it exists already, a node isn't free, a limit is reached.
  kExitRefused = 6,
  // --timeout has passed.
  kExitTimeout = 7,
  // Only from watch and submit --wait: the job was cancelled.
  kExitCancelled = 8,
  // Anything else, e.g. an internal error of the coordinator.
  kExitOther = 9,
};

// A wrong command line; `way_out` may be empty.
absl::Status UsageError(absl::string_view problem, absl::string_view way_out = "");
bool IsUsageError(const absl::Status& status);

// An error in a file that the user wrote: printed as compilers do, "job.yaml:9: …", without the program's name.
absl::Status AboutFile(absl::Status status);

// kExitOk for OK.
ExitCode ExitCodeOf(const absl::Status& status);

// "muster: <what is wrong>", then the way out on a line of its own.
void PrintError(Screen& err, const absl::Status& status);

}  // namespace muster::cli
