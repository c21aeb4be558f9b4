#include "lib/job/node_file.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/message_of.h"
#include "lib/job/node_names.h"
#include "lib/job/yaml_tree.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

class Reader {
 public:
  explicit Reader(absl::string_view file) { context_.file = std::string(file); }

  absl::Status Read(const YamlNode& tree, NodeFile& made) {
    if (tree.kind != Kind::kMap) {
      return FileError(context_, tree, "", absl::StrCat("the file holds ", tree.KindName()),
                       "a node file is a map with tiers and nodes");
    }
    const YamlNode* tiers = nullptr;
    const YamlNode* nodes = nullptr;
    for (const auto& [key, value] : tree.entries) {
      const YamlNode** part = key.text == "tiers" ? &tiers : key.text == "nodes" ? &nodes : nullptr;
      if (part == nullptr) {
        const std::string nearest = NearestName(key.text, {"tiers", "nodes"});
        return FileError(context_, key, key.text.substr(0, 64), "unknown field",
                         absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "),
                                      "(a node file knows tiers, nodes)"));
      }
      if (*part != nullptr) return FileError(context_, key, key.text, "the field is there twice", "keep one");
      *part = &value;
    }
    if (tiers != nullptr) {
      if (absl::Status status = ReadTiers(*tiers, made); !status.ok()) return status;
    }
    if (nodes == nullptr || nodes->kind != Kind::kList || nodes->items.empty()) {
      return FileError(context_, nodes == nullptr ? tree : *nodes, "nodes", "there are no nodes",
                       "list them: nodes: [{name: \"gpu-[01-04]\", capacity: {gpu: 8}}]");
    }
    for (size_t i = 0; i < nodes->items.size(); ++i) {
      if (absl::Status status = ReadNode(nodes->items[i], absl::StrCat("nodes[", i, "]"), made); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadTiers(const YamlNode& list, NodeFile& made) {
    if (list.kind != Kind::kList) {
      return FileError(context_, list, "tiers", absl::StrCat(list.KindName(), " where a list belongs"),
                       "write [block, rack]");
    }
    std::vector<Tier> named;
    for (size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& item = list.items[i];
      const std::string field = absl::StrCat("tiers[", i, "]");
      if (item.kind == Kind::kScalar) {
        named.push_back({"", item.text});
        continue;
      }
      named.emplace_back();
      if (item.kind != Kind::kMap) {
        return FileError(context_, item, field, absl::StrCat(item.KindName(), " where a tier belongs"),
                         "give a label key, or {name, label}");
      }
      for (const auto& [key, value] : item.entries) {
        std::string* part = key.text == "name"    ? &named.back().name
                            : key.text == "label" ? &named.back().label
                                                  : nullptr;
        if (part == nullptr || value.kind != Kind::kScalar) {
          return FileError(context_, key, absl::StrCat(field, ".", key.text.substr(0, 64)), "unknown field or no text",
                           "a tier is {name: rack, label: example.com/rack}");
        }
        *part = value.text;
      }
    }
    for (Tier& tier : named) {
      if (!tier.name.empty() || tier.label.empty()) continue;
      const auto one = Tiers::FromLabels({tier.label});
      if (one.ok()) tier.name = (*one)[0].name;
    }
    auto tiers = Tiers::Create(std::move(named));
    if (!tiers.ok()) return AtLine(tiers.status(), context_.file, list.line);
    made.tiers = *std::move(tiers);
    return absl::OkStatus();
  }

  absl::Status ReadNode(const YamlNode& item, const std::string& path, NodeFile& made) {
    v1::Node node;
    v1::NodeInfo& info = *node.mutable_info();
    // What is the node's own, and what its info's.
    YamlNode of_info = item;
    YamlNode of_node = item;
    const auto of_node_only = [](const auto& entry) {
      return entry.key.text == "condition" || entry.key.text == "reason" || entry.key.text == "job";
    };
    std::erase_if(of_info.entries, of_node_only);
    std::erase_if(of_node.entries, [&](const auto& entry) { return !of_node_only(entry); });
    if (absl::Status status = FillMessage(of_info, path, context_, info); !status.ok()) return status;
    if (absl::Status status = FillMessage(of_node, path, context_, node); !status.ok()) return status;
    if (!node.job().empty()) node.set_use(v1::ASSIGNED);
    if (info.name().empty()) return FileError(context_, item, path + ".name", "it is empty", "name the node");
    // Labels by their tiers' names.
    const std::map<std::string, std::string> labels(info.labels().begin(), info.labels().end());
    for (const auto& [key, value] : labels) {
      const absl::optional<size_t> tier = made.tiers.Find(key);
      if (!tier || made.tiers[*tier].label == key) continue;
      info.mutable_labels()->erase(key);
      (*info.mutable_labels())[made.tiers[*tier].label] = value;
    }
    for (const auto& [resource, count] : info.capacity()) {
      if (count >= 0) continue;
      return FileError(context_, item, absl::StrCat(path, ".capacity.", resource), absl::StrCat(count, " is negative"),
                       "give 0 or more");
    }
    const auto names = ExpandNames(info.name(), kMaxFileNodes);
    if (!names.ok()) return FileError(context_, item, path + ".name", names.status().message(), "");
    if (names->size() > 1 && (!info.uid().empty() || !info.address().empty())) {
      return FileError(context_, item, path, "uid or address of several nodes", "list such nodes one by one");
    }
    for (const std::string& name : *names) {
      const auto [first, added] = lines_.emplace(name, item.line);
      if (!added) {
        return FileError(context_, item, path + ".name",
                         absl::StrCat("node \"", name.substr(0, 64), "\" is already there, on line ", first->second),
                         "keep one");
      }
      if (made.nodes.size() == static_cast<size_t>(kMaxFileNodes)) {
        return FileError(context_, item, path, absl::StrCat("more than ", kMaxFileNodes, " nodes"), "leave some out");
      }
      info.set_name(name);
      made.nodes.push_back(node);
    }
    return absl::OkStatus();
  }

  FileContext context_;
  std::map<std::string, int> lines_;
};

}  // namespace

absl::StatusOr<NodeFile> ParseNodeFile(absl::string_view text, absl::string_view file) {
  const auto tree = ParseYaml(text, file);
  if (!tree.ok()) return tree.status();
  NodeFile made;
  if (absl::Status status = Reader(file).Read(*tree, made); !status.ok()) return status;
  return made;
}

}  // namespace muster
