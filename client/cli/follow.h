#pragma once
// Following a job to its end: what `watch job` and `submit --wait` do.

#include "absl/status/statusor.h"
#include "client/cli/command.h"

namespace muster::cli {

// A line for each change of the job's phase, reason, attempt or epoch; on a terminal one more line with the test's
// progress, redrawn. A coordinator that goes away is waited for. The exit code tells the result: kExitOk, kExitNo or
// kExitCancelled. With -o json or yaml each change is a document.
absl::StatusOr<int> FollowJob(Context& context, const v1::JobRef& ref);

}  // namespace muster::cli
