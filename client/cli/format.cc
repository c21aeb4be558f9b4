#include "client/cli/format.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace muster::cli {

std::string DurationText(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return "for ever";
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(duration));
  if (seconds < 60) return absl::StrCat(seconds, " s");
  if (seconds < 3600) return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  if (seconds < 86400) return absl::StrFormat("%dh%02dm", seconds / 3600, seconds / 60 % 60);
  return absl::StrFormat("%dd%02dh", seconds / 86400, seconds / 3600 % 24);
}

std::string Ago(absl::Time time, absl::Time now) {
  if (time == absl::InfinitePast()) return "–";
  if (time > now + absl::Seconds(1)) return absl::StrCat("in ", DurationText(time - now));
  if (now - time < absl::Seconds(1)) return "now";
  return absl::StrCat(DurationText(now - time), " ago");
}

std::string ExactTime(absl::Time time, absl::TimeZone zone) {
  return time == absl::InfinitePast() ? "–" : absl::FormatTime("%Y-%m-%d %H:%M:%S %Z", time, zone);
}

std::string ClockTime(absl::Time time, absl::Time now, absl::TimeZone zone) {
  const bool today = absl::ToCivilDay(time, zone) == absl::ToCivilDay(now, zone);
  return absl::FormatTime(today ? "%H:%M" : "%b %e %H:%M", time, zone);
}

std::string Thousands(int64_t number) {
  std::string digits = absl::StrCat(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return value == std::floor(value) ? absl::StrFormat("%.0f %s", value, kUnits[unit])
                                    : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string GbpsText(double gbps) {
  // Small figures (TCP over loopback, faulty links) would all read 0.0.
  if (gbps > 0 && gbps < 1) return absl::StrFormat("%.3f", gbps);
  return gbps > 0 && gbps < 10 ? absl::StrFormat("%.2f", gbps) : absl::StrFormat("%.1f", gbps);
}

std::string RatioText(double left, double right) { return absl::StrFormat("%.2f ×", right / left); }

std::string Interval(int64_t first, int64_t last) {
  return first == last ? absl::StrCat(first) : absl::StrCat(first, "–", last);
}

std::string RangesText(const std::vector<int64_t>& numbers, size_t most) {
  std::string out;
  size_t runs = 0;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (runs++ == most) return absl::StrCat(out, ",… ", numbers.size() - i, " more");
    absl::StrAppend(&out, out.empty() ? "" : ",", Interval(numbers[i], numbers[end - 1]));
    i = end;
  }
  return out;
}

std::string Count(int64_t number, const std::string& noun) {
  return absl::StrCat(Thousands(number), " ", noun, number == 1 ? "" : "s");
}

bool ReadDuration(const std::string& text, absl::Duration* duration) {
  // Abseil knows no days.
  double days = 0;
  absl::Duration parsed;
  if (!text.empty() && text.back() == 'd' && absl::SimpleAtod(text.substr(0, text.size() - 1), &days)) {
    parsed = days * absl::Hours(24);
  } else if (!absl::ParseDuration(text, &parsed)) {
    return false;
  }
  if (parsed <= absl::ZeroDuration() || parsed == absl::InfiniteDuration()) return false;
  *duration = parsed;
  return true;
}

}  // namespace muster::cli
