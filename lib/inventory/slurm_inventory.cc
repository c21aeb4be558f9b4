#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/inventory/slurm_topology.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {

// What people call a switch by its height above the nodes.
std::string LevelName(int level) {
  static constexpr const char* kNames[] = {"leaf", "spine", "core"};
  return level < 3 ? kNames[level] : absl::StrCat("level-", level);
}

// Nodes in the order in which they are first named, with labels to add to.
class NodeList {
 public:
  explicit NodeList(Inventory& inventory) : inventory_(inventory) {}

  // nullptr: it is already there.
  v1::NodeInfo* Add(const std::string& name) {
    const auto [at, added] = index_.emplace(name, inventory_.nodes.size());
    if (!added) return nullptr;
    v1::NodeInfo* info = inventory_.nodes.emplace_back().mutable_info();
    info->set_name(name);
    return info;
  }
  v1::NodeInfo* Find(const std::string& name) {
    const auto at = index_.find(name);
    return at == index_.end() ? nullptr : inventory_.nodes[at->second].mutable_info();
  }

 private:
  Inventory& inventory_;
  std::map<std::string, size_t> index_;
};

absl::Status SetTiers(std::vector<std::string> levels, absl::string_view file, int line, Inventory& inventory) {
  std::vector<Tier> tiers;
  for (std::string& level : levels) tiers.push_back({level, LabelKey(level)});
  auto made = Tiers::Create(std::move(tiers), "levels");
  if (!made.ok()) return SourceError("too_many", file, line, made.status().message(), "");
  inventory.tiers = *std::move(made);
  return absl::OkStatus();
}

absl::Status AddTree(const SlurmTopology& topology, absl::string_view file, Inventory& inventory) {
  std::map<std::string, const SlurmSwitch*> by_name;
  int top = 0;
  for (const SlurmSwitch& one : topology.switches) {
    by_name[one.name] = &one;
    top = std::max(top, one.level);
  }
  std::vector<std::string> levels;
  for (int level = std::min(top, static_cast<int>(kMaxTiers)); level >= 0; --level) levels.push_back(LevelName(level));
  if (absl::Status status = SetTiers(std::move(levels), file, topology.line, inventory); !status.ok()) return status;
  NodeList nodes(inventory);
  for (const SlurmSwitch& leaf : topology.switches) {
    for (const std::string& name : leaf.nodes) {
      v1::NodeInfo* node = nodes.Add(name);
      if (node == nullptr) continue;
      for (const SlurmSwitch* at = &leaf; at != nullptr; at = at->parent.empty() ? nullptr : by_name[at->parent]) {
        (*node->mutable_labels())[LabelKey(LevelName(at->level))] = at->name;
      }
    }
  }
  return absl::OkStatus();
}

// Label values of each block: its own name, and the unit of each size.
absl::Status AddBlocks(const SlurmTopology& topology, absl::string_view file, Inventory& inventory) {
  std::map<std::string, std::map<std::string, std::string>> labels;
  for (const SlurmBlock& block : topology.blocks) labels[block.name][LabelKey("block")] = block.name;
  std::map<int64_t, int> made;
  for (const SlurmUnit& unit : UnitsOf(topology)) {
    const std::string name = absl::StrCat("blocks-", unit.blocks_per_unit);
    const std::string value = absl::StrCat("unit-", ++made[unit.blocks_per_unit]);
    for (const std::string& block : unit.blocks) labels[block][LabelKey(name)] = value;
  }
  std::vector<std::string> levels;
  for (auto size = made.rbegin(); size != made.rend(); ++size) levels.push_back(absl::StrCat("blocks-", size->first));
  levels.push_back("block");
  if (absl::Status status = SetTiers(std::move(levels), file, topology.line, inventory); !status.ok()) return status;
  NodeList nodes(inventory);
  for (const SlurmBlock& block : topology.blocks) {
    for (const std::string& name : block.nodes) {
      if (v1::NodeInfo* node = nodes.Add(name)) {
        for (const auto& [key, value] : labels[block.name]) (*node->mutable_labels())[key] = value;
      }
    }
  }
  return absl::OkStatus();
}

// What a warning means, for people.
std::string Sentence(const std::string& warning) {
  static const auto& sentences = *new std::map<std::string, std::string>{
      {"several_roots", "several switches have no parent: paths between their parts are the longest"},
      {"empty_leaf", "a leaf switch lists no nodes"},
      {"several_leaves", "a node is on several leaf switches: the first counts"},
      {"children_ignored", "a switch has nodes and children: its children are ignored, as Slurm does"},
      {"block_below_base_size", "a block has fewer nodes than the base size"},
      {"empty_block", "a block lists no nodes"},
      {"node_in_several_blocks", "a node is in several blocks: the first counts"},
      {"unknown_nodes", "nodes that the cluster doesn't have were left out"},
      {"nodes_without_switch", "nodes of the cluster are on no switch"}};
  const auto found = sentences.find(warning);
  return found == sentences.end() ? warning : found->second;
}

}  // namespace

absl::StatusOr<Inventory> InventoryOf(const SlurmTopology& topology, absl::string_view file) {
  Inventory inventory;
  absl::Status status = absl::OkStatus();
  if (topology.type == SlurmTopology::Type::kTree) status = AddTree(topology, file, inventory);
  if (topology.type == SlurmTopology::Type::kBlock) status = AddBlocks(topology, file, inventory);
  if (!status.ok()) return status;
  if (inventory.nodes.empty()) {
    return SourceError("empty", file, topology.line, "the topology lists no nodes",
                       "name the nodes of each leaf or block: Nodes=node[1-16]");
  }
  if (inventory.nodes.size() > static_cast<size_t>(kMaxNodes)) {
    return SourceError("too_many", file, topology.line, absl::StrCat("there are ", inventory.nodes.size(), " nodes"),
                       absl::StrCat("at most ", kMaxNodes, " are read"));
  }
  for (const std::string& warning : topology.warnings) inventory.notes.push_back(Sentence(warning));
  return inventory;
}

absl::StatusOr<Inventory> InventoryOf(const std::vector<SlurmTopology>& topologies, absl::string_view file) {
  const auto is_default = [](const SlurmTopology& one) { return one.cluster_default; };
  auto chosen = std::find_if(topologies.begin(), topologies.end(), is_default);
  if (chosen == topologies.end()) chosen = topologies.begin();
  if (chosen == topologies.end()) {
    return SourceError("empty", file, 0, "there is no topology", "write one: \"- topology: fabric\"");
  }
  auto inventory = InventoryOf(*chosen, file);
  if (!inventory.ok()) return inventory.status();
  std::vector<std::string> others;
  bool accelerators = false;
  for (const SlurmTopology& other : topologies) {
    if (&other == &*chosen) continue;
    if (chosen->type != SlurmTopology::Type::kTree || other.type != SlurmTopology::Type::kBlock || accelerators) {
      others.push_back(other.name);
      continue;
    }
    accelerators = true;
    inventory->accelerator_label = LabelKey("block");
    std::map<std::string, std::string> block_of;
    for (const SlurmBlock& block : other.blocks) {
      for (const std::string& node : block.nodes) block_of.emplace(node, block.name);
    }
    for (v1::Node& node : inventory->nodes) {
      const auto block = block_of.find(node.info().name());
      if (block != block_of.end()) {
        (*node.mutable_info()->mutable_labels())[inventory->accelerator_label] = block->second;
      }
    }
    inventory->notes.push_back(absl::StrCat("blocks of topology ", other.name, " are taken as accelerator domains"));
  }
  if (!others.empty()) {
    inventory->notes.push_back(
        absl::StrCat("topology ", chosen->name, " is used; not used: ", absl::StrJoin(others, ", ")));
  }
  return inventory;
}

}  // namespace muster::inventory
