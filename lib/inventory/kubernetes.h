#pragma once
// What kubectl prints: Node lists, Kueue's Topology objects, and ConfigMaps with a Slurm topology in them.
//
//   kubectl get nodes -o json          kubectl get nodes,topologies.kueue.x-k8s.io -o yaml
//
// Topology comes, first found first: from the caller, from a Topology object in the file, from the preset (presets.h)
// whose labels the nodes have. A node that isn't ready is lost, a cordoned or tainted one draining; the taints that
// keep other pods off GPUs (nvidia.com/gpu and its like) count for nothing. Capacity "gpu" is what is allocatable of
// any vendor's accelerator.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/inventory.h"
#include "lib/inventory/presets.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {

// Keys of objects that are never needed here, and most of a node's text.
std::set<std::string> UnneededKeys();

bool IsKubernetes(const YamlNode& tree);

struct KubernetesOptions {
  // Label keys, coarse to fine; empty: found as above.
  std::vector<std::string> levels;
  // Name of a preset in place of the one that is detected; empty: none.
  std::string preset;
  // Taints with these keys count for nothing either.
  std::vector<std::string> tolerations;
};

// All objects of all documents. Errors with file and line: a Node without a name or one twice, a quantity that is none,
// labels that are no text or too long, no Node at all, more than one Topology object, more than eight levels.
// INVALID_ARGUMENT, without a line: levels that no node has, an unknown preset.
absl::StatusOr<Inventory> ReadKubernetes(const std::vector<YamlNode>& documents, absl::string_view file,
                                         const KubernetesOptions& options);

// What levels a node list has: all of them, also those that are the machine itself.
struct LevelsFound {
  std::vector<std::string> labels;  // coarse to fine
  std::string accelerator_label;
};
LevelsFound LevelsOf(const Preset& preset, const std::vector<Labels>& nodes);

// Labels of a Kueue Topology object, coarse to fine, and its line; empty: none in these documents.
absl::StatusOr<std::vector<std::string>> KueueLevels(const std::vector<YamlNode>& documents, absl::string_view file);

}  // namespace muster::inventory
