#pragma once
// The values that traces and specs are made of. Errors are sentences without a place ("\"x\" is no count; …"), which
// the caller puts in front.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace muster::simulation {

// As messages show a value: quoted, at most 64 bytes of it.
std::string Shown(absl::string_view value);

absl::StatusOr<int64_t> ReadCount(absl::string_view value, int64_t least, int64_t most);
absl::StatusOr<double> ReadNumber(absl::string_view value, double least, double most);
// Seconds ("90", "1.5"), with units ("90s", "1h30m", "2d") or Slurm's clock ("MM:SS", "HH:MM:SS", "D-HH:MM:SS",
// "D-HH"). 0 to kMaxTraceTime.
absl::StatusOr<absl::Duration> ReadDuration(absl::string_view value);
// "2026-11-30T13:00:00", taken as UTC unless it says otherwise; a blank in place of the T.
absl::StatusOr<absl::Time> ReadTime(absl::string_view value);

}  // namespace muster::simulation
