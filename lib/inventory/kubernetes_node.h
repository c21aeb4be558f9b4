#pragma once
// One Node object of Kubernetes.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/job/yaml_tree.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::inventory {

// Name, uid, labels, address, capacity and condition as kubernetes.h says. Errors with file and line: no name, a
// value of another kind or too long, a quantity that is none.
absl::StatusOr<v1::Node> ReadNode(const YamlNode& object, absl::string_view file,
                                  const std::vector<std::string>& tolerations);

}  // namespace muster::inventory
