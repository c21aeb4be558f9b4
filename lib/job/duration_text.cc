#include "lib/job/duration_text.h"

#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace muster {
namespace {

constexpr int64_t kNanos = 1'000'000'000;
constexpr int64_t kMaxSeconds = int64_t{10} * 366 * 86'400;

struct Unit {
  absl::string_view name;
  int64_t nanos;
};
// Longer names first where one begins with another.
constexpr Unit kUnits[] = {{"ms", 1'000'000},     {"us", 1'000},      {"ns", 1},    {"d", 86'400 * kNanos},
                           {"h", 3'600 * kNanos}, {"m", 60 * kNanos}, {"s", kNanos}};

}  // namespace

absl::StatusOr<google::protobuf::Duration> ParseDurationText(absl::string_view text) {
  google::protobuf::Duration duration;
  if (text == "0") return duration;
  absl::string_view rest = text;
  const bool negative = absl::ConsumePrefix(&rest, "-");
  int64_t nanos = 0;
  bool any = false;
  while (!rest.empty()) {
    size_t digits = 0;
    while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
    int64_t count = 0;
    const bool number = digits > 0 && digits <= 12 && absl::SimpleAtoi(rest.substr(0, digits), &count);
    rest.remove_prefix(digits);
    const Unit* unit = nullptr;
    for (const Unit& known : kUnits) {
      if (unit == nullptr && absl::ConsumePrefix(&rest, known.name)) unit = &known;
    }
    if (!number || unit == nullptr) break;
    if (count > (kMaxSeconds * kNanos - nanos) / unit->nanos) {
      return absl::InvalidArgumentError("the duration is beyond ten years");
    }
    nanos += count * unit->nanos;
    any = rest.empty();
  }
  if (!any) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", text.substr(0, 32), "\" is no duration; write a number with its unit: \"90s\", \"10m\", \"1h30m\""));
  }
  if (negative) nanos = -nanos;
  duration.set_seconds(nanos / kNanos);
  duration.set_nanos(static_cast<int32_t>(nanos % kNanos));
  return duration;
}

std::string DurationText(const google::protobuf::Duration& duration) {
  const bool negative = duration.seconds() < 0 || duration.nanos() < 0;
  int64_t seconds = negative ? -duration.seconds() : duration.seconds();
  int64_t nanos = negative ? -duration.nanos() : duration.nanos();
  std::string text;
  for (const Unit& unit : {Unit{"d", 86'400}, Unit{"h", 3'600}, Unit{"m", 60}, Unit{"s", 1}}) {
    if (seconds / unit.nanos > 0) absl::StrAppend(&text, seconds / unit.nanos, unit.name);
    seconds %= unit.nanos;
  }
  for (const Unit& unit : {Unit{"ms", 1'000'000}, Unit{"us", 1'000}, Unit{"ns", 1}}) {
    if (nanos / unit.nanos > 0) absl::StrAppend(&text, nanos / unit.nanos, unit.name);
    nanos %= unit.nanos;
  }
  return text.empty() ? "0" : absl::StrCat(negative ? "-" : "", text);
}

}  // namespace muster
