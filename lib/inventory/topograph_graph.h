#pragma once
// The JSON of Topograph's graph engine: instances with their network layers, leaf first.
//
//   {"instances": [{"id": "i-1", "network_layers": ["leaf-a", "spine-a"], "attributes": {"nvlink": "nvl-1"}}]}
//
// Its other outputs are topology.conf, topology.yaml and node labels, which have parsers of their own.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/inventory.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {

bool IsTopographGraph(const YamlNode& tree);

// Errors with file and line: an instance without an id, or one twice; values that are no text or too long; more than
// eight layers.
absl::StatusOr<Inventory> ReadTopographGraph(const YamlNode& tree, absl::string_view file);

}  // namespace muster::inventory
