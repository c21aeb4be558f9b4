#pragma once
// Traces from text: Muster's CSV, and what `sacct -P` prints.
//
// CSV, by header: submit (time, or since the beginning), nodes and run are needed; name, namespace, gpus_per_node,
// limit, priority, required, spares, tp, cp, pp, ep and end (completed, failed, cancelled) may be there. An empty cell
// is the default. Rows are in the order of submission.
//
// sacct: Submit, NNodes (or AllocNodes) and ElapsedRaw, Elapsed, or Start and End are needed; JobID, Account, User,
// TimelimitRaw (minutes), Timelimit and State are read, further columns are not. Steps ("17.batch") and jobs that never
// ran are left out. Rows may be in any order. A job's namespace is its account, else its user.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {

// INVALID_ARGUMENT "FILE:LINE: COLUMN: problem; way out": all of table_text.h; an unknown column, one that is missing;
// values that are no such thing or out of range; time going back (between rows of a CSV, or within a job); a name that
// was there before; a mesh that doesn't divide the workers; no jobs at all.
absl::StatusOr<Trace> ReadTrace(absl::string_view text, absl::string_view file);

}  // namespace muster::simulation
