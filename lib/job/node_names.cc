#include "lib/job/node_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace muster {
namespace {

bool ReadNumber(absl::string_view text, int64_t& number) {
  const bool digits = !text.empty() && text.size() <= 9 && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  return digits && absl::SimpleAtoi(text, &number);
}

// What one bracket stands for: "01-03,7".
absl::StatusOr<std::vector<std::string>> ExpandBracket(absl::string_view inside, int limit) {
  std::vector<std::string> values;
  for (const absl::string_view part : absl::StrSplit(inside, ',')) {
    const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(part, absl::MaxSplits('-', 1));
    const bool range = part.find('-') != absl::string_view::npos;
    int64_t first = 0;
    int64_t last = 0;
    if (!ReadNumber(ends.first, first) || (range && !ReadNumber(ends.second, last))) {
      return absl::InvalidArgumentError(
          absl::StrCat("[", inside.substr(0, 32), "] is no range; write [01-04] or [1,3,5-7]"));
    }
    if (!range) last = first;
    if (last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("range ", part, " runs backwards; write ", ends.second, "-", ends.first));
    }
    if (last - first >= limit - static_cast<int64_t>(values.size())) {
      return absl::InvalidArgumentError(absl::StrCat("range ", part, " gives more than ", limit, " names"));
    }
    for (int64_t i = first; i <= last; ++i) {
      std::string digits = absl::StrCat(i);
      if (digits.size() < ends.first.size()) digits.insert(0, ends.first.size() - digits.size(), '0');
      values.push_back(std::move(digits));
    }
  }
  return values;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandNames(absl::string_view pattern, int limit) {
  std::vector<std::string> names = {""};
  while (!pattern.empty()) {
    const size_t open = pattern.find_first_of("[]");
    const absl::string_view plain = pattern.substr(0, open);
    for (std::string& name : names) absl::StrAppend(&name, plain);
    if (open == absl::string_view::npos) break;
    const size_t close = pattern.find(']', open);
    if (pattern[open] == ']' || close == absl::string_view::npos) {
      return absl::InvalidArgumentError(absl::StrCat("a bracket of \"", pattern.substr(0, 64), "\" has no partner"));
    }
    const auto values = ExpandBracket(pattern.substr(open + 1, close - open - 1), limit);
    if (!values.ok()) return values.status();
    if (values->size() * names.size() > static_cast<size_t>(limit)) {
      return absl::InvalidArgumentError(absl::StrCat("the ranges give more than ", limit, " names"));
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& value : *values) longer.push_back(absl::StrCat(name, value));
    }
    names = std::move(longer);
    pattern.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace muster
