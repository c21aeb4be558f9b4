#pragma once
// Values in a document's tree, with errors that name file and line.

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {

// The first value of the key; nullptr: not a map, or not there.
const YamlNode* FindValue(const YamlNode& tree, absl::string_view key);
// Along several keys.
const YamlNode* FindPath(const YamlNode& tree, std::initializer_list<absl::string_view> keys);

// INVALID_ARGUMENT, naming `what`: not a single value, or longer than kMaxValue.
absl::StatusOr<std::string> Text(const YamlNode& value, absl::string_view what, absl::string_view file);
// Of a key; empty where it isn't there.
absl::StatusOr<std::string> TextValue(const YamlNode& tree, absl::string_view key, absl::string_view file);

// A whole number >= 0 as Kubernetes writes quantities: "8", "1k", "2Ki". INVALID_ARGUMENT, a sentence: anything else,
// or above 2^63 - 1.
absl::StatusOr<int64_t> Quantity(absl::string_view text);

// Notes where a node is named. INVALID_ARGUMENT: the name is too long, or was there before, on a line that is named.
absl::Status CheckNewName(const std::string& name, int line, absl::string_view file, std::map<std::string, int>& lines);

}  // namespace muster::inventory
