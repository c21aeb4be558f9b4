#include "lib/inventory/slurm_yaml.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/inventory/host_list.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {

using Kind = YamlNode::Kind;

class Reader {
 public:
  explicit Reader(absl::string_view file) : file_(file) {}

  absl::StatusOr<SlurmTopology> Read(const YamlNode& map) {
    SlurmTopology topology;
    topology.line = map.line;
    if (map.kind != Kind::kMap)
      return Wrong(map, "a topology", "a map with topology, cluster_default and tree or block");
    const YamlNode* body = nullptr;
    std::string type;
    std::set<std::string> seen;
    for (const auto& [key, value] : map.entries) {
      if (!seen.insert(key.text).second) return Twice(key);
      if (key.text == "topology") {
        if (value.kind != Kind::kScalar || value.text.empty()) return Wrong(value, "topology", "a name");
        topology.name = value.text;
      } else if (key.text == "cluster_default") {
        if (value.text != "true" && value.text != "false") return Wrong(value, "cluster_default", "true or false");
        topology.cluster_default = value.text == "true";
      } else if (key.text == "tree" || key.text == "block" || key.text == "flat" || key.text == "ring" ||
                 key.text == "torus3d" || key.text == "torus") {
        if (!type.empty()) {
          return SourceError("several_types", file_, key.line,
                             absl::StrCat("topology ", Brief(topology.name), " is both ", type, " and ", key.text),
                             "one type a topology: write a second topology");
        }
        type = key.text;
        body = &value;
      } else {
        return Unknown(key, {"topology", "cluster_default", "tree", "block", "flat"});
      }
    }
    if (type == "tree") return Tree(*body, std::move(topology));
    if (type == "block") return Block(*body, std::move(topology));
    topology.type = SlurmTopology::Type::kFlat;
    if (type == "flat") return topology;
    if (type.empty()) {
      return SourceError("bad_value", file_, map.line, absl::StrCat("topology ", Brief(topology.name), " has no type"),
                         "give it tree, block or flat");
    }
    return SourceError("unsupported_type", file_, map.line,
                       absl::StrCat("topology ", Brief(topology.name), " is of type ", type),
                       "tree, block and flat are supported");
  }

 private:
  absl::Status Wrong(const YamlNode& node, absl::string_view what, absl::string_view wanted) const {
    return SourceError("bad_value", file_, node.line,
                       absl::StrCat(what, ": ",
                                    node.kind == Kind::kScalar ? absl::StrCat("\"", Brief(node.text), "\"")
                                                               : std::string(node.KindName())),
                       absl::StrCat("it must be ", wanted));
  }
  absl::Status Twice(const YamlNode& key) const {
    return SourceError("bad_value", file_, key.line, absl::StrCat(Brief(key.text), " is there twice"), "keep one");
  }
  absl::Status Unknown(const YamlNode& key, const std::vector<std::string>& known) const {
    const std::string nearest = NearestName(key.text, known);
    return SourceError("unknown_key", file_, key.line, absl::StrCat("unknown key \"", Brief(key.text), "\""),
                       nearest.empty() ? absl::StrCat("known are ", FewNames(known, known.size()))
                                       : absl::StrCat("did you mean ", nearest, "?"));
  }

  absl::StatusOr<std::vector<std::string>> Names(const YamlNode& value, absl::string_view what) {
    if (value.kind != Kind::kScalar) return Wrong(value, what, "a host list like n[1-16]");
    auto names = ExpandHostList(value.text, kMaxNodes);
    if (!names.ok()) {
      return SourceError("bad_hostlist", file_, value.line, absl::StrCat(what, ": ", names.status().message()),
                         "write names with commas and ranges: n5,n[7-9]");
    }
    named_ += static_cast<int64_t>(names->size());
    if (named_ > 8 * kMaxNodes) {
      return SourceError("too_many", file_, value.line, absl::StrCat("more than ", 8 * kMaxNodes, " names in all"),
                         "leave some out");
    }
    return names;
  }

  // The items of {`list`: [...]} and of nothing else but what `also` reads.
  template <typename ReadItem, typename ReadOther>
  absl::Status Items(const YamlNode& body, const std::string& list, const ReadItem& read, const ReadOther& also) {
    if (body.kind == Kind::kNull) return absl::OkStatus();
    if (body.kind != Kind::kMap) return Wrong(body, list, absl::StrCat("a map with ", list));
    std::set<std::string> seen;
    for (const auto& [key, value] : body.entries) {
      if (!seen.insert(key.text).second) return Twice(key);
      if (key.text != list) {
        if (absl::Status status = also(key, value); !status.ok()) return status;
        continue;
      }
      if (value.kind == Kind::kNull) continue;
      if (value.kind != Kind::kList) return Wrong(value, list, "a list");
      for (const YamlNode& item : value.items) {
        if (item.kind != Kind::kMap) return Wrong(item, absl::StrCat("an item of ", list), "a map");
        if (absl::Status status = read(item); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<SlurmTopology> Tree(const YamlNode& body, SlurmTopology topology) {
    topology.type = SlurmTopology::Type::kTree;
    const auto read = [&](const YamlNode& item) {
      SlurmSwitch one;
      one.line = item.line;
      for (const auto& [key, value] : item.entries) {
        if (key.text == "switch") {
          if (value.kind != Kind::kScalar) return Wrong(value, "switch", "a name");
          one.name = value.text;
        } else if (key.text == "children" || key.text == "nodes") {
          if (value.kind == Kind::kNull) continue;
          auto names = Names(value, key.text);
          if (!names.ok()) return names.status();
          (key.text == "nodes" ? one.nodes : one.children) = *std::move(names);
        } else {
          return Unknown(key, {"switch", "children", "nodes"});
        }
      }
      if (!one.nodes.empty() && !one.children.empty()) {
        one.children.clear();
        topology.warnings.push_back("children_ignored");
      }
      topology.switches.push_back(std::move(one));
      return absl::OkStatus();
    };
    const auto also = [&](const YamlNode& key, const YamlNode&) { return Unknown(key, {"switches"}); };
    if (absl::Status status = Items(body, "switches", read, also); !status.ok()) return status;
    if (absl::Status status = Finish(file_, nullptr, topology); !status.ok()) return status;
    return topology;
  }

  absl::StatusOr<SlurmTopology> Block(const YamlNode& body, SlurmTopology topology) {
    topology.type = SlurmTopology::Type::kBlock;
    const auto read = [&](const YamlNode& item) {
      SlurmBlock block;
      block.line = item.line;
      for (const auto& [key, value] : item.entries) {
        if (key.text == "block") {
          if (value.kind != Kind::kScalar) return Wrong(value, "block", "a name");
          block.name = value.text;
        } else if (key.text == "nodes") {
          if (value.kind == Kind::kNull) continue;
          auto names = Names(value, key.text);
          if (!names.ok()) return names.status();
          block.nodes = *std::move(names);
        } else {
          return Unknown(key, {"block", "nodes"});
        }
      }
      topology.blocks.push_back(std::move(block));
      return absl::OkStatus();
    };
    const auto also = [&](const YamlNode& key, const YamlNode& value) {
      if (key.text != "block_sizes") return Unknown(key, {"block_sizes", "blocks"});
      return Sizes(value, topology);
    };
    if (absl::Status status = Items(body, "blocks", read, also); !status.ok()) return status;
    if (absl::Status status = Finish(file_, nullptr, topology); !status.ok()) return status;
    return topology;
  }

  absl::Status Sizes(const YamlNode& value, SlurmTopology& topology) const {
    if (value.kind == Kind::kNull) return absl::OkStatus();
    const std::vector<YamlNode> one = {value};
    for (const YamlNode& item : value.kind == Kind::kList ? value.items : one) {
      int64_t size = 0;
      if (item.kind != Kind::kScalar || !absl::SimpleAtoi(item.text, &size) || size < 1 || size > kMaxNodes) {
        return SourceError("bad_block_sizes", file_, item.line,
                           absl::StrCat("block size \"", Brief(item.text), "\" is no number of nodes"),
                           absl::StrCat("give 1..", kMaxNodes));
      }
      topology.configured_sizes.push_back(size);
    }
    return absl::OkStatus();
  }

  absl::string_view file_;
  int64_t named_ = 0;
};

bool HasTopologyKey(const YamlNode& node) {
  if (node.kind != Kind::kMap) return false;
  for (const auto& [key, value] : node.entries) {
    if (key.text == "topology") return true;
  }
  return false;
}

}  // namespace

bool IsSlurmYaml(const YamlNode& tree) {
  if (tree.kind == Kind::kList) return !tree.items.empty() && HasTopologyKey(tree.items.front());
  return HasTopologyKey(tree);
}

absl::StatusOr<std::vector<SlurmTopology>> ReadSlurmYaml(const YamlNode& tree, absl::string_view file) {
  Reader reader(file);
  std::vector<SlurmTopology> topologies;
  std::map<std::string, int> lines;
  const std::vector<YamlNode> one = {tree};
  for (const YamlNode& item : tree.kind == Kind::kList ? tree.items : one) {
    auto topology = reader.Read(item);
    if (!topology.ok()) return topology.status();
    const auto [first, added] = lines.emplace(topology->name, item.line);
    if (!added) {
      return SourceError(
          "duplicate_name", file, item.line,
          absl::StrCat("topology \"", Brief(topology->name), "\" is already there, on line ", first->second),
          "rename one");
    }
    topologies.push_back(*std::move(topology));
  }
  if (topologies.empty()) {
    return SourceError("empty", file, tree.line, "there is no topology", "write one: \"- topology: fabric\"");
  }
  return topologies;
}

}  // namespace muster::inventory
