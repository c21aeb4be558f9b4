#include "lib/inventory/host_list.h"

#include "absl/strings/str_cat.h"
#include "lib/job/node_names.h"

namespace muster::inventory {

absl::StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view list, int limit) {
  std::vector<std::string> names;
  while (true) {
    size_t end = 0;
    for (bool inside = false; end < list.size() && (inside || list[end] != ','); ++end) {
      if (list[end] == '[') inside = true;
      if (list[end] == ']') inside = false;
    }
    const absl::string_view expression = list.substr(0, end);
    if (expression.empty()) return absl::InvalidArgumentError("the list has an empty name");
    auto expanded = ExpandNames(expression, limit - static_cast<int>(names.size()));
    if (!expanded.ok()) return expanded.status();
    if (names.size() + expanded->size() > static_cast<size_t>(limit)) {
      return absl::InvalidArgumentError(absl::StrCat("the list has more than ", limit, " names"));
    }
    names.insert(names.end(), expanded->begin(), expanded->end());
    if (end == list.size()) return names;
    list.remove_prefix(end + 1);
  }
}

}  // namespace muster::inventory
