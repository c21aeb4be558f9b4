#include "lib/inventory/topograph_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/tree_values.h"

namespace muster::inventory {
namespace {

using Kind = YamlNode::Kind;

}  // namespace

bool IsTopographGraph(const YamlNode& tree) { return FindValue(tree, "instances") != nullptr; }

absl::StatusOr<Inventory> ReadTopographGraph(const YamlNode& tree, absl::string_view file) {
  const YamlNode& instances = *FindValue(tree, "instances");
  if (instances.kind != Kind::kList || instances.items.empty()) {
    return SourceError("empty", file, instances.line, "instances: there are none", "list them, each with an id");
  }
  Inventory inventory;
  std::map<std::string, int> lines;
  size_t deepest = 0;
  for (const YamlNode& instance : instances.items) {
    v1::NodeInfo& info = *inventory.nodes.emplace_back().mutable_info();
    auto name = TextValue(instance, "id", file);
    if (!name.ok()) return name.status();
    if (name->empty()) {
      return SourceError("bad_value", file, instance.line, "an instance has no id", "give every one an id");
    }
    if (absl::Status status = CheckNewName(*name, instance.line, file, lines); !status.ok()) return status;
    info.set_name(*name);
    if (const YamlNode* layers = FindValue(instance, "network_layers"); layers != nullptr) {
      for (size_t i = 0; i < layers->items.size(); ++i) {
        auto layer = Text(layers->items[i], "network_layers", file);
        if (!layer.ok()) return layer.status();
        (*info.mutable_labels())[LabelKey(absl::StrCat("tier-", i))] = *layer;
      }
      deepest = std::max(deepest, layers->items.size());
    }
    if (const YamlNode* attributes = FindValue(instance, "attributes"); attributes != nullptr) {
      auto nvlink = TextValue(*attributes, "nvlink", file);
      if (!nvlink.ok()) return nvlink.status();
      if (!nvlink->empty()) {
        inventory.accelerator_label = LabelKey("nvlink");
        (*info.mutable_labels())[inventory.accelerator_label] = *nvlink;
      }
    }
  }
  std::vector<Tier> tiers;
  for (size_t i = deepest; i-- > 0;) tiers.push_back({absl::StrCat("tier-", i), LabelKey(absl::StrCat("tier-", i))});
  auto made = Tiers::Create(std::move(tiers), "network_layers");
  if (!made.ok()) return SourceError("too_many", file, 0, made.status().message(), "");
  inventory.tiers = *std::move(made);
  return inventory;
}

}  // namespace muster::inventory
