#pragma once
// A JSON document as the tree that ParseYaml gives, without its slowness on what kubectl prints of a large cluster.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/job/yaml_tree.h"

namespace muster {

// INVALID_ARGUMENT as ParseYaml. Line numbers are those of the value's end.
absl::StatusOr<YamlNode> ParseJson(absl::string_view text, absl::string_view file, const TreeLimits& limits);

}  // namespace muster
