#include "lib/inventory/kubernetes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/inventory/kubernetes_node.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/tree_values.h"

namespace muster::inventory {
namespace {

using Kind = YamlNode::Kind;

std::string KindName(const YamlNode& object) {
  const YamlNode* kind = FindValue(object, "kind");
  return kind == nullptr ? "" : kind->text;
}

bool IsTopology(const YamlNode& object) {
  const YamlNode* version = FindValue(object, "apiVersion");
  return KindName(object) == "Topology" && version != nullptr && absl::StartsWith(version->text, "kueue.x-k8s.io/");
}

// Objects of all documents, lists opened.
std::vector<const YamlNode*> Objects(const std::vector<YamlNode>& documents) {
  std::vector<const YamlNode*> objects;
  for (const YamlNode& document : documents) {
    const YamlNode* items = FindValue(document, "items");
    if (items == nullptr) {
      objects.push_back(&document);
      continue;
    }
    for (const YamlNode& item : items->items) objects.push_back(&item);
  }
  return objects;
}

// `levels` without those that are the machine itself.
absl::StatusOr<Tiers> NetworkTiers(const std::vector<std::string>& levels, absl::string_view field) {
  std::vector<std::string> network;
  for (const std::string& level : levels) {
    if (level != "kubernetes.io/hostname") network.push_back(level);
  }
  auto tiers = Tiers::FromLabels(network, field);
  if (tiers.ok()) return tiers;
  // Names that collide ("a/rack", "b/rack") become the whole keys.
  std::vector<Tier> whole;
  for (const std::string& level : network) whole.push_back({level, level});
  return Tiers::Create(std::move(whole), field);
}

bool SomeNodeHas(const std::vector<Labels>& nodes, const std::string& key) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Labels& labels) { return labels.count(key) > 0; });
}

absl::Status SetLevels(const KubernetesOptions& options, const std::vector<std::string>& from_object,
                       const std::vector<Labels>& nodes, Inventory& inventory) {
  const Preset* preset = &DetectPreset(nodes);
  if (!options.preset.empty()) {
    preset = FindPreset(options.preset);
    if (preset == nullptr) {
      std::vector<std::string> names;
      for (const Preset& known : Presets()) names.push_back(known.name);
      return FieldError("preset", absl::StrCat("\"", Brief(options.preset), "\" is unknown"),
                        absl::StrCat("known are ", FewNames(names, names.size())));
    }
  }
  inventory.accelerator_label = AcceleratorLabelOf(*preset, nodes);
  const std::vector<std::string>& levels = options.levels.empty() ? from_object : options.levels;
  if (levels.empty()) {
    auto tiers = Tiers::Create(TiersOf(*preset, nodes));
    if (!tiers.ok()) return tiers.status();
    inventory.tiers = *std::move(tiers);
    inventory.notes.push_back(absl::StrCat("topology levels are those of ", preset->what, " (", preset->name, ")"));
    return absl::OkStatus();
  }
  auto tiers = NetworkTiers(levels, options.levels.empty() ? "spec.levels" : "levels");
  if (!tiers.ok()) return tiers.status();
  inventory.tiers = *std::move(tiers);
  for (size_t i = 0; i < inventory.tiers.size(); ++i) {
    const std::string& key = inventory.tiers[i].label;
    if (SomeNodeHas(nodes, key)) continue;
    if (!options.levels.empty()) {
      return FieldError("levels", absl::StrCat("no node has the label ", Brief(key)),
                        absl::StrCat("name label keys that the nodes have, or leave the flag out (",
                                     DetectPreset(nodes).what, " would be taken)"));
    }
    inventory.notes.push_back(absl::StrCat("no node has the label ", key, " of the Topology object"));
  }
  return absl::OkStatus();
}

}  // namespace

std::set<std::string> UnneededKeys() {
  return {"managedFields", "annotations", "images", "volumesInUse", "volumesAttached", "daemonEndpoints"};
}

bool IsKubernetes(const YamlNode& tree) {
  return FindValue(tree, "kind") != nullptr && FindValue(tree, "apiVersion") != nullptr &&
         (FindValue(tree, "items") != nullptr || KindName(tree) == "Node" || IsTopology(tree));
}

absl::StatusOr<std::vector<std::string>> KueueLevels(const std::vector<YamlNode>& documents, absl::string_view file) {
  std::vector<std::string> found;
  int line = 0;
  for (const YamlNode* object : Objects(documents)) {
    if (!IsTopology(*object)) continue;
    if (line > 0) {
      return SourceError("duplicate_name", file, object->line,
                         absl::StrCat("a second Topology object; the first is on line ", line),
                         "keep one, or name the levels by a flag");
    }
    line = object->line;
    const YamlNode* levels = FindPath(*object, {"spec", "levels"});
    if (levels == nullptr || levels->items.empty()) {
      return SourceError("empty", file, object->line, "the Topology object has no spec.levels",
                         "list them: levels: [{nodeLabel: …}]");
    }
    for (const YamlNode& level : levels->items) {
      auto label = TextValue(level, "nodeLabel", file);
      if (!label.ok()) return label.status();
      if (label->empty()) {
        return SourceError("bad_value", file, level.line, "a level has no nodeLabel", "name the label's key");
      }
      if (std::find(found.begin(), found.end(), *label) != found.end()) {
        return SourceError("duplicate_name", file, level.line, absl::StrCat("level ", *label, " is there twice"),
                           "keep one");
      }
      found.push_back(*std::move(label));
    }
    // Kueue allows sixteen; above, and for what Muster tells apart, the count without the host's own level decides.
    if (auto tiers = NetworkTiers(found, "spec.levels"); !tiers.ok()) {
      return SourceError("too_many", file, levels->line, tiers.status().message(), "");
    }
  }
  return found;
}

LevelsFound LevelsOf(const Preset& preset, const std::vector<Labels>& nodes) {
  LevelsFound found;
  for (const Tier& tier : TiersOf(preset, nodes)) found.labels.push_back(tier.label);
  for (const std::string& host : preset.host_labels) found.labels.push_back(host);
  found.accelerator_label = AcceleratorLabelOf(preset, nodes);
  return found;
}

absl::StatusOr<Inventory> ReadKubernetes(const std::vector<YamlNode>& documents, absl::string_view file,
                                         const KubernetesOptions& options) {
  auto levels = KueueLevels(documents, file);
  if (!levels.ok()) return levels.status();
  Inventory inventory;
  inventory.has_capacity = true;
  std::vector<Labels> labels;
  std::map<std::string, int> lines;
  std::set<std::string> others;
  for (const YamlNode* object : Objects(documents)) {
    if (KindName(*object) != "Node") {
      if (!IsTopology(*object) && object->kind != Kind::kNull) others.insert(Brief(KindName(*object)));
      continue;
    }
    auto node = ReadNode(*object, file, options.tolerations);
    if (!node.ok()) return node.status();
    if (absl::Status status = CheckNewName(node->info().name(), object->line, file, lines); !status.ok()) return status;
    labels.emplace_back(node->info().labels().begin(), node->info().labels().end());
    inventory.nodes.push_back(*std::move(node));
  }
  if (inventory.nodes.empty()) {
    return SourceError("empty", file, 0, "there is no Node in it",
                       "write it with kubectl get nodes -o json (or -o yaml)");
  }
  if (!others.empty()) {
    inventory.notes.push_back(
        absl::StrCat("objects of other kinds were passed over: ", FewNames({others.begin(), others.end()})));
  }
  if (absl::Status status = SetLevels(options, *levels, labels, inventory); !status.ok()) return status;
  return inventory;
}

}  // namespace muster::inventory
