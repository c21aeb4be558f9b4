#include "lib/inventory/node_ranks.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/inventory/host_list.h"
#include "lib/inventory/inventory.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/tree_values.h"
#include "lib/job/json_tree.h"

namespace muster::inventory {
namespace {

absl::StatusOr<std::vector<std::string>> FromJson(absl::string_view text, absl::string_view file) {
  TreeLimits limits;
  limits.bytes = 16 << 20;
  limits.values = 2'000'000;
  const auto tree = ParseJson(text, file, limits);
  if (!tree.ok()) return tree.status();
  const YamlNode* ranks = FindPath(*tree, {"explanation", "placement", "ranks"});
  if (ranks == nullptr) ranks = FindPath(*tree, {"placement", "ranks"});
  if (ranks == nullptr) ranks = FindValue(*tree, "ranks");
  if (ranks == nullptr) ranks = FindValue(*tree, "nodes");
  if (ranks == nullptr) {
    return SourceError("bad_value", file, tree->line, "there are neither ranks nor nodes",
                       "give what muster plan -o json prints, or {\"nodes\": [\"n1\", …]}");
  }
  std::vector<std::string> names;
  for (const YamlNode& item : ranks->items) {
    auto name = item.kind == YamlNode::Kind::kMap ? TextValue(item, "node", file) : Text(item, "nodes", file);
    if (!name.ok()) return name.status();
    names.push_back(*std::move(name));
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> FromText(absl::string_view text, absl::string_view file) {
  std::vector<std::string> names;
  int line = 0;
  for (const absl::string_view whole : absl::StrSplit(text, '\n')) {
    ++line;
    const absl::string_view content = whole.substr(0, whole.find('#'));
    for (absl::string_view list : absl::StrSplit(content, absl::ByAnyChar(" \t\r"), absl::SkipEmpty())) {
      auto some = ExpandHostList(list, kMaxNodes);
      if (!some.ok()) {
        return SourceError("bad_hostlist", file, line, some.status().message(), "write node names, or n[1-16]");
      }
      names.insert(names.end(), some->begin(), some->end());
      if (names.size() > static_cast<size_t>(kMaxNodes)) {
        return SourceError("too_many", file, line, absl::StrCat("more than ", kMaxNodes, " nodes"), "leave some out");
      }
    }
  }
  return names;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadNodeRanks(absl::string_view text, absl::string_view file) {
  const bool json = absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{");
  auto names = json ? FromJson(text, file) : FromText(text, file);
  if (names.ok() && names->empty()) {
    return SourceError("empty", file, 0, "no nodes are listed", "list one node a rank, in the order of the ranks");
  }
  return names;
}

}  // namespace muster::inventory
