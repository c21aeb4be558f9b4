#include "lib/simulation/fields.h"

#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {
namespace {

absl::Status Wrong(absl::string_view value, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(Shown(value), " ", problem));
}

constexpr char kForms[] = "is no duration; write seconds, 1h30m, or D-HH:MM:SS";

absl::StatusOr<absl::Duration> InRange(absl::string_view value, absl::Duration duration) {
  if (duration < absl::ZeroDuration()) return Wrong(value, "is negative; give 0 or more");
  if (duration > kMaxTraceTime) return Wrong(value, "is more than ten years; give less");
  return duration;
}

// "D-HH:MM:SS" and its short forms.
absl::StatusOr<absl::Duration> ReadClock(absl::string_view value) {
  std::pair<absl::string_view, absl::string_view> days = {"", value};
  const bool with_days = value.find('-') != absl::string_view::npos;
  if (with_days) days = absl::StrSplit(value, absl::MaxSplits('-', 1));
  const std::vector<absl::string_view> parts = absl::StrSplit(days.second, ':');
  if (parts.size() > 3) return Wrong(value, kForms);
  int64_t day = 0;
  if (with_days && (!absl::SimpleAtoi(days.first, &day) || day < 0 || day > 10'000)) return Wrong(value, kForms);
  // With days the first is hours; without, the last is seconds.
  absl::Duration total = day * absl::Hours(24);
  const absl::Duration units[] = {absl::Hours(1), absl::Minutes(1), absl::Seconds(1)};
  size_t unit = with_days ? 0 : 3 - parts.size();
  for (const absl::string_view part : parts) {
    double number = 0;
    const bool last = &part == &parts.back();
    if (part.empty() || !absl::ascii_isdigit(part[0]) || !absl::SimpleAtod(part, &number) || number > 1e7 ||
        (!last && part.find('.') != absl::string_view::npos))
      return Wrong(value, kForms);
    total += number * units[unit++];
  }
  return InRange(value, total);
}

}  // namespace

std::string Shown(absl::string_view value) {
  return absl::StrCat("\"", value.substr(0, 64), value.size() > 64 ? "…" : "", "\"");
}

absl::StatusOr<int64_t> ReadCount(absl::string_view value, int64_t least, int64_t most) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number < least || number > most)
    return Wrong(value, absl::StrCat("is no whole number of ", least, " to ", most));
  return number;
}

absl::StatusOr<double> ReadNumber(absl::string_view value, double least, double most) {
  double number = 0;
  if (!absl::SimpleAtod(value, &number) || !std::isfinite(number) || number < least || number > most)
    return Wrong(value, absl::StrCat("is no number of ", least, " to ", most));
  return number;
}

absl::StatusOr<absl::Duration> ReadDuration(absl::string_view value) {
  value = absl::StripAsciiWhitespace(value);
  double seconds = 0;
  if (absl::SimpleAtod(value, &seconds)) {
    if (!std::isfinite(seconds) || std::abs(seconds) > 1e12) return Wrong(value, kForms);
    return InRange(value, absl::Seconds(seconds));
  }
  if (value.find(':') != absl::string_view::npos || (value.find('-') != absl::string_view::npos && value.find('-') > 0))
    return ReadClock(value);
  // Abseil knows no days.
  absl::Duration days;
  absl::string_view rest = value;
  if (const size_t d = value.find('d'); d != absl::string_view::npos) {
    double number = 0;
    if (!absl::SimpleAtod(value.substr(0, d), &number) || !std::isfinite(number) || std::abs(number) > 1e6)
      return Wrong(value, kForms);
    days = number * absl::Hours(24);
    rest = value.substr(d + 1);
  }
  absl::Duration duration;
  if (!(rest.empty() && rest.size() != value.size()) && !absl::ParseDuration(rest, &duration))
    return Wrong(value, kForms);
  return InRange(value, days + duration);
}

absl::StatusOr<absl::Time> ReadTime(absl::string_view value) {
  std::string text(absl::StripAsciiWhitespace(value));
  if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error) &&
      !absl::ParseTime("%Y-%m-%d%ET%H:%M:%E*S", text, absl::UTCTimeZone(), &time, &error))
    return Wrong(value, "is no time; write it as 2026-11-30T13:00:00");
  if (time < absl::FromCivil(absl::CivilYear(1970), absl::UTCTimeZone()) ||
      time > absl::FromCivil(absl::CivilYear(9999), absl::UTCTimeZone()))
    return Wrong(value, "is outside of the years 1970 to 9999");
  return time;
}

}  // namespace muster::simulation
