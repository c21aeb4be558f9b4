#pragma once
// What Slurm's `sacct -P` prints, as a trace. trace_text.h says what is read.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/simulation/table_text.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {

absl::StatusOr<Trace> ReadSacct(const TableText& table, absl::string_view file);

}  // namespace muster::simulation
