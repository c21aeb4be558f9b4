#pragma once
// Files that list the nodes of a placement in the order of the node ranks.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster::inventory {

// JSON: what `muster plan -o json` or `muster get job -o json` prints (ranks with nodes), or {"nodes": ["n1", …]}. Else
// text: host lists, one or several a line, "#" starts a comment. INVALID_ARGUMENT with file and line: bad JSON, a bad
// host list, no nodes, more than 20,000.
absl::StatusOr<std::vector<std::string>> ReadNodeRanks(absl::string_view text, absl::string_view file);

}  // namespace muster::inventory
