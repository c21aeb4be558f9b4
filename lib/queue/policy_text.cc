#include "lib/queue/policy_text.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/errors.h"

namespace muster::queue {

absl::StatusOr<std::map<std::string, int64_t>> ReadNumbers(absl::string_view flag, absl::string_view text,
                                                           int64_t least, int64_t most) {
  std::map<std::string, int64_t> numbers;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    item = absl::StripAsciiWhitespace(item);
    const std::pair<std::string, std::string> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    const std::string shown = absl::StrCat("\"", item.substr(0, 64), "\"");
    int64_t number = 0;
    if (parts.first.empty() || !absl::SimpleAtoi(parts.second, &number))
      return FieldError(flag, absl::StrCat(shown, " is not NAME=NUMBER"), "write it as team-a=8,team-b=4");
    if (number < least || number > most)
      return FieldError(flag, absl::StrCat(shown, " is out of range"), absl::StrCat("give ", least, " to ", most));
    if (!numbers.emplace(parts.first, number).second)
      return FieldError(flag, absl::StrCat(parts.first.substr(0, 64), " is named twice"), "name it once");
  }
  return numbers;
}

}  // namespace muster::queue
