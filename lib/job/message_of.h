#pragma once
// A tree to a Protobuf message by the message's own field names, so that a field added to the contract is at once a
// field of the files.

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "lib/job/yaml_tree.h"

namespace muster {

// Where things are in the file.
struct FileContext {
  std::string file;
  std::map<std::string, int> lines;  // path -> line
};

// Fills `message` from a map, adding to `context`. Keys in camelCase or snake_case; enums by their names in any of
// lower_case, kebab-case or camelCase; durations as text; repeated fields as lists; MeshSpec.axes also as a map from
// name to size. A null leaves its field unset. INVALID_ARGUMENT with file, line, path and the way out: an unknown or
// repeated field, a wrong type, a number out of range. `path` is the message's own ("spec"). On an error `message` is
// half filled.
absl::Status FillMessage(const YamlNode& tree, const std::string& path, FileContext& context,
                         google::protobuf::Message& message);

// The error, with the file and line of `node`.
absl::Status FileError(const FileContext& context, const YamlNode& node, absl::string_view field,
                       absl::string_view problem, absl::string_view way_out);

// How files spell an enum value: lower case.
std::string EnumText(const google::protobuf::EnumValueDescriptor& value);

}  // namespace muster
