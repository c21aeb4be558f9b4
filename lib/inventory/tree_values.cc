#include "lib/inventory/tree_values.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/inventory/inventory.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {
constexpr size_t kMaxNodeName = 253;
}  // namespace

const YamlNode* FindValue(const YamlNode& tree, absl::string_view key) {
  for (const auto& [name, value] : tree.entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

const YamlNode* FindPath(const YamlNode& tree, std::initializer_list<absl::string_view> keys) {
  const YamlNode* at = &tree;
  for (const absl::string_view key : keys) {
    at = FindValue(*at, key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

absl::StatusOr<std::string> Text(const YamlNode& value, absl::string_view what, absl::string_view file) {
  if (value.kind == YamlNode::Kind::kNull) return std::string();
  if (value.kind != YamlNode::Kind::kScalar) {
    return SourceError("bad_value", file, value.line, absl::StrCat(what, ": ", value.KindName(), " where text belongs"),
                       "write one value");
  }
  if (value.text.size() > kMaxValue) {
    return SourceError("too_long", file, value.line,
                       absl::StrCat(what, ": \"", Brief(value.text), "\" has ", value.text.size(), " characters"),
                       absl::StrCat("at most ", kMaxValue, " are allowed"));
  }
  return value.text;
}

absl::StatusOr<std::string> TextValue(const YamlNode& tree, absl::string_view key, absl::string_view file) {
  const YamlNode* value = FindValue(tree, key);
  return value == nullptr ? std::string() : Text(*value, key, file);
}

absl::StatusOr<int64_t> Quantity(absl::string_view text) {
  static constexpr std::pair<const char*, int64_t> kSuffixes[] = {
      {"Ki", int64_t{1} << 10}, {"Mi", int64_t{1} << 20}, {"Gi", int64_t{1} << 30}, {"k", 1000}, {"M", 1000000}};
  absl::string_view digits = text;
  int64_t factor = 1;
  for (const auto& [suffix, value] : kSuffixes) {
    if (absl::ConsumeSuffix(&digits, suffix)) {
      factor = value;
      break;
    }
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number < 0 || number > std::numeric_limits<int64_t>::max() / factor) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", Brief(text), "\" is no whole number of at least 0, or too large"));
  }
  return number * factor;
}

absl::Status CheckNewName(const std::string& name, int line, absl::string_view file,
                          std::map<std::string, int>& lines) {
  if (name.size() > kMaxNodeName) {
    return SourceError("name_too_long", file, line,
                       absl::StrCat("node ", Brief(name), " has a name of ", name.size(), " characters"),
                       absl::StrCat("at most ", kMaxNodeName, " are allowed"));
  }
  const auto [first, added] = lines.emplace(name, line);
  if (!added) {
    return SourceError("duplicate_name", file, line,
                       absl::StrCat("node ", name, " is already there, on line ", first->second), "keep one");
  }
  if (lines.size() > static_cast<size_t>(kMaxNodes)) {
    return SourceError("too_many", file, line, absl::StrCat("more than ", kMaxNodes, " nodes"), "leave some out");
  }
  return absl::OkStatus();
}

}  // namespace muster::inventory
