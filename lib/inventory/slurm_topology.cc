#include "lib/inventory/slurm_topology.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {

constexpr size_t kMaxSlurmName = 64;
// Slurm keeps this many sizes of units.
constexpr int64_t kMaxBlockSizes = 5;

void Warn(SlurmTopology& topology, const std::string& word) {
  if (std::find(topology.warnings.begin(), topology.warnings.end(), word) == topology.warnings.end()) {
    topology.warnings.push_back(word);
  }
}

absl::Status CheckName(absl::string_view file, const char* what, const std::string& name, int line) {
  if (name.empty()) {
    return SourceError("bad_value", file, line, absl::StrCat("a ", what, " has no name"), "name every one");
  }
  if (name.size() <= kMaxSlurmName) return absl::OkStatus();
  return SourceError("name_too_long", file, line,
                     absl::StrCat(what, " ", Brief(name), " has a name of ", name.size(), " characters"),
                     absl::StrCat("at most ", kMaxSlurmName, " are allowed"));
}

template <typename Part>
absl::Status CheckNames(absl::string_view file, const char* what, const std::vector<Part>& parts) {
  std::map<std::string, int> lines;
  for (const Part& part : parts) {
    if (absl::Status status = CheckName(file, what, part.name, part.line); !status.ok()) return status;
    const auto [first, added] = lines.emplace(part.name, part.line);
    if (!added) {
      return SourceError("duplicate_name", file, part.line,
                         absl::StrCat(what, " ", part.name, " is already there, on line ", first->second),
                         "keep one, or rename one");
    }
    for (const std::string& node : part.nodes) {
      if (node.size() <= 253) continue;
      return SourceError("name_too_long", file, part.line,
                         absl::StrCat("node ", Brief(node), " has a name of ", node.size(), " characters"),
                         "at most 253 are allowed");
    }
  }
  return absl::OkStatus();
}

// Leaves out nodes that the cluster doesn't have.
template <typename Part>
void KeepKnown(const std::vector<std::string>* known, std::vector<Part>& parts, SlurmTopology& topology) {
  if (known == nullptr) return;
  const std::set<std::string> names(known->begin(), known->end());
  std::set<std::string> listed;
  for (Part& part : parts) {
    const auto unknown = std::remove_if(part.nodes.begin(), part.nodes.end(),
                                        [&](const std::string& node) { return names.count(node) == 0; });
    if (unknown != part.nodes.end()) Warn(topology, "unknown_nodes");
    part.nodes.erase(unknown, part.nodes.end());
    listed.insert(part.nodes.begin(), part.nodes.end());
  }
  if (listed.size() < names.size()) Warn(topology, "nodes_without_switch");
}

// Fills in levels, children before parents; refuses cycles.
class Levels {
 public:
  Levels(absl::string_view file, SlurmTopology& topology) : file_(file), topology_(topology) {
    for (size_t i = 0; i < topology.switches.size(); ++i) index_[topology.switches[i].name] = i;
    state_.assign(topology.switches.size(), State::kNew);
  }

  absl::Status Link() {
    for (SlurmSwitch& parent : topology_.switches) {
      for (const std::string& name : parent.children) {
        const auto child = index_.find(name);
        if (child == index_.end()) {
          return SourceError("bad_child", file_, parent.line,
                             absl::StrCat("switch ", parent.name, ": child ", Brief(name), " is not defined"),
                             "define it with SwitchName=…, or leave it out");
        }
        if (name == parent.name) {
          return SourceError("bad_child", file_, parent.line, absl::StrCat("switch ", name, " is its own child"),
                             "leave it out of its Switches");
        }
        std::string& known = topology_.switches[child->second].parent;
        if (!known.empty()) {
          return SourceError("several_parents", file_, parent.line,
                             absl::StrCat("switch ", name, " is below ", known, " and below ", parent.name),
                             "one parent a switch: a domain is in one place");
        }
        known = parent.name;
      }
    }
    return absl::OkStatus();
  }

  // Every switch has one parent at most, so that going up from it ends at a root or comes back.
  absl::Status Fill() {
    for (size_t i = 0; i < topology_.switches.size(); ++i) {
      std::vector<size_t> climbed;
      size_t at = i;
      while (state_[at] == State::kNew) {
        state_[at] = State::kOpen;
        climbed.push_back(at);
        const std::string& parent = topology_.switches[at].parent;
        if (parent.empty()) break;
        at = index_.at(parent);
        if (state_[at] == State::kOpen) {
          const SlurmSwitch& back = topology_.switches[at];
          return SourceError("cycle", file_, back.line,
                             absl::StrCat("switch ", back.name, " is below itself, by way of ",
                                          topology_.switches[climbed.back()].name),
                             "a tree has no cycles: take it out of one of the two");
        }
      }
      for (const size_t done : climbed) state_[done] = State::kDone;
    }
    for (const SlurmSwitch& leaf : topology_.switches) {
      if (!leaf.children.empty()) continue;
      int level = 0;
      for (const SlurmSwitch* at = &leaf; !at->parent.empty();) {
        SlurmSwitch& parent = topology_.switches[index_.at(at->parent)];
        if (parent.level >= ++level) break;
        parent.level = level;
        at = &parent;
      }
    }
    return absl::OkStatus();
  }

 private:
  enum class State { kNew, kOpen, kDone };

  absl::string_view file_;
  SlurmTopology& topology_;
  std::map<std::string, size_t> index_;
  std::vector<State> state_;
};

absl::Status FinishTree(absl::string_view file, const std::vector<std::string>* known_nodes, SlurmTopology& topology) {
  if (topology.switches.empty()) {
    return SourceError("empty", file, topology.line, "there is no switch", "write SwitchName=leaf1 Nodes=node[1-16]");
  }
  if (absl::Status status = CheckNames(file, "switch", topology.switches); !status.ok()) return status;
  KeepKnown(known_nodes, topology.switches, topology);
  Levels levels(file, topology);
  if (absl::Status status = levels.Link(); !status.ok()) return status;
  if (absl::Status status = levels.Fill(); !status.ok()) return status;
  std::set<std::string> seen;
  size_t roots = 0;
  for (const SlurmSwitch& one : topology.switches) {
    roots += one.parent.empty() ? 1 : 0;
    if (one.children.empty() && one.nodes.empty()) Warn(topology, "empty_leaf");
    for (const std::string& node : one.nodes) {
      if (!seen.insert(node).second) Warn(topology, "several_leaves");
    }
  }
  if (roots > 1) Warn(topology, "several_roots");
  return absl::OkStatus();
}

absl::Status CheckSizes(absl::string_view file, const SlurmTopology& topology, int64_t base) {
  for (const int64_t size : topology.configured_sizes) {
    int64_t unit = base;
    while (unit > 0 && unit < size && unit <= size / 2) unit *= 2;
    if (size >= 1 && unit == size) continue;
    return SourceError("bad_block_sizes", file, topology.line,
                       absl::StrCat("block size ", size, " is not ", base, " × 1, 2, 4, 8 …"),
                       "every size is the first one times a power of two, and at least 1");
  }
  return absl::OkStatus();
}

absl::Status FinishBlocks(absl::string_view file, const std::vector<std::string>* known_nodes,
                          SlurmTopology& topology) {
  if (topology.blocks.empty()) {
    return SourceError("empty", file, topology.line, "there is no block", "write BlockName=block1 Nodes=node[1-18]");
  }
  if (absl::Status status = CheckNames(file, "block", topology.blocks); !status.ok()) return status;
  KeepKnown(known_nodes, topology.blocks, topology);
  const int64_t base = topology.configured_sizes.empty() ? static_cast<int64_t>(topology.blocks.front().nodes.size())
                                                         : topology.configured_sizes.front();
  if (topology.configured_sizes.empty() && base == 0) {
    return SourceError("no_nodes_and_no_sizes", file, topology.blocks.front().line,
                       absl::StrCat("block ", topology.blocks.front().name, " has no nodes and there are no sizes"),
                       "give it nodes, or say BlockSizes=18");
  }
  if (absl::Status status = CheckSizes(file, topology, base); !status.ok()) return status;
  std::vector<int64_t> wanted = topology.configured_sizes;
  if (wanted.empty()) {
    for (int64_t i = 0; i < kMaxBlockSizes; ++i) wanted.push_back(base << i);
  }
  for (const int64_t size : wanted) {
    topology.block_sizes.push_back(size);
    if (size / base >= static_cast<int64_t>(topology.blocks.size())) break;
  }
  std::set<std::string> seen;
  for (const SlurmBlock& block : topology.blocks) {
    if (block.nodes.empty()) Warn(topology, "empty_block");
    if (!block.nodes.empty() && static_cast<int64_t>(block.nodes.size()) < base)
      Warn(topology, "block_below_base_size");
    for (const std::string& node : block.nodes) {
      if (!seen.insert(node).second) Warn(topology, "node_in_several_blocks");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Finish(absl::string_view file, const std::vector<std::string>* known_nodes, SlurmTopology& topology) {
  switch (topology.type) {
    case SlurmTopology::Type::kTree:
      return FinishTree(file, known_nodes, topology);
    case SlurmTopology::Type::kBlock:
      return FinishBlocks(file, known_nodes, topology);
    case SlurmTopology::Type::kFlat:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

std::vector<SlurmUnit> UnitsOf(const SlurmTopology& topology) {
  std::vector<SlurmUnit> units;
  if (topology.block_sizes.empty()) return units;
  const int64_t base = topology.block_sizes.front();
  const auto count = static_cast<int64_t>(topology.blocks.size());
  int64_t smaller = 1;
  for (const int64_t size : topology.block_sizes) {
    const int64_t wide = size / base;
    if (wide <= 1) continue;
    for (int64_t first = 0; first < count; first += wide) {
      const int64_t last = std::min(first + wide, count);
      if (last - first < wide && last - first <= smaller) continue;
      SlurmUnit unit{wide, {}};
      for (int64_t i = first; i < last; ++i) unit.blocks.push_back(topology.blocks[i].name);
      units.push_back(std::move(unit));
    }
    smaller = wide;
  }
  return units;
}

std::vector<std::string> SwitchPath(const SlurmTopology& topology, absl::string_view node) {
  std::vector<std::string> path;
  std::map<std::string, const SlurmSwitch*> by_name;
  const SlurmSwitch* at = nullptr;
  for (const SlurmSwitch& one : topology.switches) {
    by_name[one.name] = &one;
    const bool lists = std::find(one.nodes.begin(), one.nodes.end(), node) != one.nodes.end();
    if (lists && at == nullptr) at = &one;
  }
  for (; at != nullptr; at = at->parent.empty() ? nullptr : by_name[at->parent]) path.push_back(at->name);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace muster::inventory
