#pragma once
// Slurm's topology.yaml (25.05 and newer): a list of named topologies, each a tree, blocks, or flat; or one alone.

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/slurm_topology.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {

// Whether the document looks like one.
bool IsSlurmYaml(const YamlNode& tree);

// In the file's order, each finished. Errors with file and line, and kinds: unknown_key, bad_value, several_types,
// unsupported_type (ring, torus), duplicate_name, bad_hostlist, and those of Finish.
absl::StatusOr<std::vector<SlurmTopology>> ReadSlurmYaml(const YamlNode& tree, absl::string_view file);

}  // namespace muster::inventory
