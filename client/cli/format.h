#pragma once
// Numbers, times and sets as people read them.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace muster::cli {

// "41 s", "1m12s", "3h05m", "2d04h": the two largest units. Negative counts as zero.
std::string DurationText(absl::Duration duration);
// "41 s ago", "in 12m00s" for a time still to come, "now" within a second; "–" for InfinitePast.
std::string Ago(absl::Time time, absl::Time now);
// "2026-11-30 14:05:09 UTC"; "–" for InfinitePast.
std::string ExactTime(absl::Time time, absl::TimeZone zone);
// "14:05" on the day of `now`, else "Nov 30 14:05".
std::string ClockTime(absl::Time time, absl::Time now, absl::TimeZone zone);

// "9,504".
std::string Thousands(int64_t number);
// "1 GiB", "1.5 MiB", "512 B".
std::string BytesText(int64_t bytes);
// One decimal: "458.2".
std::string GbpsText(double gbps);
// right / left to two places and a multiplication sign: "2.64 ×".
std::string RatioText(double left, double right);

// "0–7"; "5" for equal ends.
std::string Interval(int64_t first, int64_t last);
// Runs of consecutive numbers as intervals, in the order given: "0–3,8,16–23". At most `most` runs, then a count of the
// numbers left: "0,8,16,… 29 more".
std::string RangesText(const std::vector<int64_t>& numbers, size_t most = 12);

// "1 worker", "64 workers".
std::string Count(int64_t number, const std::string& noun);

// "90s", "10m", "1h30m", "2d", also fractions. False: no duration, or not above zero.
bool ReadDuration(const std::string& text, absl::Duration* duration);

}  // namespace muster::cli
