#pragma once
// A Slurm topology as its files describe it, whatever their syntax: the model, its checks, and what follows from it.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/inventory.h"

namespace muster::inventory {

struct SlurmSwitch {
  std::string name;
  int line = 0;
  std::vector<std::string> children;  // switches
  std::vector<std::string> nodes;
  // From Finish: leaf 0, else 1 + highest child.
  int level = 0;
  std::string parent;  // empty: a root
};

struct SlurmBlock {
  std::string name;
  int line = 0;
  std::vector<std::string> nodes;
};

// Consecutive blocks that count as one larger unit.
struct SlurmUnit {
  int64_t blocks_per_unit = 0;
  std::vector<std::string> blocks;
};

struct SlurmTopology {
  enum class Type { kTree, kBlock, kFlat };
  std::string name;  // of topology.yaml; else empty
  bool cluster_default = false;
  Type type = Type::kTree;
  int line = 0;
  std::vector<SlurmSwitch> switches;  // the file's order
  std::vector<SlurmBlock> blocks;     // the file's order, which decides what is next to what
  std::vector<int64_t> configured_sizes;
  // From Finish.
  std::vector<int64_t> block_sizes;
  // Stable words: several_roots, empty_leaf, several_leaves, children_ignored, block_below_base_size, empty_block,
  // node_in_several_blocks, unknown_nodes, nodes_without_switch.
  std::vector<std::string> warnings;
};

// Checks the whole and fills in what follows from it. With `known_nodes` (the cluster's; nullptr: not known) others are
// left out, with a warning. Errors (source_error.h): bad_child, cycle, several_parents, duplicate_name, name_too_long,
// empty, bad_block_sizes, no_nodes_and_no_sizes.
absl::Status Finish(absl::string_view file, const std::vector<std::string>* known_nodes, SlurmTopology& topology);

// The larger units of blocks, by size. The last of a size may be incomplete if it has more blocks than the next smaller
// unit.
std::vector<SlurmUnit> UnitsOf(const SlurmTopology& topology);

// Root to the node's leaf; of several leaves the first in the file. Empty: no switch lists it.
std::vector<std::string> SwitchPath(const SlurmTopology& topology, absl::string_view node);

// Trees: tiers leaf, spine, core … by the height above the leaf, so that a leaf right under the root leaves the tiers
// between unknown. Blocks: the block, and above it each size of unit.
absl::StatusOr<Inventory> InventoryOf(const SlurmTopology& topology, absl::string_view file);

// Of several topologies the default (the first that says so, else the first) with its notes; a block topology beside a
// default tree gives the accelerator domains. INVALID_ARGUMENT: none, or nothing but flat ones.
absl::StatusOr<Inventory> InventoryOf(const std::vector<SlurmTopology>& topologies, absl::string_view file);

}  // namespace muster::inventory
