#include "lib/inventory/kubernetes_node.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/tree_values.h"

namespace muster::inventory {
namespace {

using Kind = YamlNode::Kind;

constexpr size_t kMaxLabels = 4096;

// Resources that are a worker's slot each.
bool IsAccelerator(const std::string& resource) {
  return resource == "nvidia.com/gpu" || resource == "amd.com/gpu" || resource == "habana.ai/gaudi" ||
         resource == "google.com/tpu" || resource == "aws.amazon.com/neuron" ||
         resource == "aws.amazon.com/neurondevice" || resource == "gpu.intel.com/i915" ||
         resource == "gpu.intel.com/xe" || resource == "huawei.com/Ascend910";
}

// Taints that say "only with accelerators": every job here has them.
bool IsAcceleratorTaint(const std::string& key) {
  return IsAccelerator(key) || key == "sku" || key == "gpu" || key == "cloud.google.com/gke-tpu";
}

absl::Status ReadMetadata(const YamlNode& object, absl::string_view file, v1::NodeInfo& info) {
  const YamlNode* metadata = FindValue(object, "metadata");
  if (metadata == nullptr) {
    return SourceError("bad_value", file, object.line, "a Node has no metadata",
                       "write it with kubectl get nodes -o json");
  }
  auto name = TextValue(*metadata, "name", file);
  if (!name.ok()) return name.status();
  if (name->empty()) return SourceError("bad_value", file, metadata->line, "a Node has no name", "name every one");
  info.set_name(*std::move(name));
  auto uid = TextValue(*metadata, "uid", file);
  if (!uid.ok()) return uid.status();
  info.set_uid(*std::move(uid));
  const YamlNode* labels = FindValue(*metadata, "labels");
  if (labels == nullptr || labels->kind == Kind::kNull) return absl::OkStatus();
  if (labels->kind != Kind::kMap || labels->entries.size() > kMaxLabels) {
    return SourceError("bad_value", file, labels->line,
                       absl::StrCat("node ", info.name(), ": its labels are ", labels->KindName(), " of ",
                                    labels->items.size() + labels->entries.size()),
                       absl::StrCat("a map of at most ", kMaxLabels));
  }
  for (const auto& [key, value] : labels->entries) {
    auto text = Text(value, absl::StrCat("node ", info.name(), ": label ", Brief(key.text)), file);
    if (!text.ok()) return text.status();
    if (!info.mutable_labels()->insert({key.text, *text}).second) {
      return SourceError("duplicate_name", file, key.line,
                         absl::StrCat("node ", info.name(), ": label ", Brief(key.text), " is there twice"),
                         "keep one");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadCapacity(const YamlNode& object, absl::string_view file, v1::NodeInfo& info) {
  (*info.mutable_capacity())["gpu"] = 0;
  const YamlNode* resources = FindPath(object, {"status", "allocatable"});
  if (resources == nullptr) resources = FindPath(object, {"status", "capacity"});
  if (resources == nullptr) return absl::OkStatus();
  for (const auto& [key, value] : resources->entries) {
    const bool accelerator = IsAccelerator(key.text);
    if (!accelerator && !absl::StartsWith(key.text, "rdma/")) continue;
    const auto count = Quantity(value.text);
    if (!count.ok()) {
      return SourceError("bad_value", file, value.line,
                         absl::StrCat("node ", info.name(), ": ", Brief(key.text), ": ", count.status().message()),
                         "give a whole number");
    }
    if (!accelerator) {
      (*info.mutable_capacity())[key.text] = *count;
      continue;
    }
    int64_t& gpus = (*info.mutable_capacity())["gpu"];
    if (*count > std::numeric_limits<int64_t>::max() - gpus) {
      return SourceError("bad_value", file, value.line, absl::StrCat("node ", info.name(), ": too many accelerators"),
                         "give what the node has");
    }
    gpus += *count;
  }
  return absl::OkStatus();
}

void SetAddress(const YamlNode& object, v1::NodeInfo& info) {
  const YamlNode* addresses = FindPath(object, {"status", "addresses"});
  if (addresses == nullptr) return;
  for (const YamlNode& address : addresses->items) {
    const YamlNode* type = FindValue(address, "type");
    const YamlNode* value = FindValue(address, "address");
    if (type == nullptr || value == nullptr || type->text != "InternalIP" || value->text.size() > 253) continue;
    info.set_address(value->text);
    return;
  }
}

void Keep(v1::NodeCondition condition, const std::string& reason, v1::Node& node) {
  if (node.condition() != v1::NODE_CONDITION_UNSPECIFIED) return;
  node.set_condition(condition);
  node.set_reason(reason);
}

// Lost before quarantined before draining.
void SetCondition(const YamlNode& object, const std::vector<std::string>& tolerations, v1::Node& node) {
  const YamlNode* conditions = FindPath(object, {"status", "conditions"});
  for (const YamlNode& condition : conditions == nullptr ? std::vector<YamlNode>() : conditions->items) {
    const YamlNode* type = FindValue(condition, "type");
    const YamlNode* status = FindValue(condition, "status");
    if (type == nullptr || type->text != "Ready" || (status != nullptr && status->text == "True")) continue;
    const YamlNode* reason = FindValue(condition, "reason");
    Keep(v1::LOST,
         absl::StrCat("not ready", reason == nullptr ? "" : ": ", reason == nullptr ? "" : Brief(reason->text)), node);
  }
  const YamlNode* taints = FindPath(object, {"spec", "taints"});
  for (const YamlNode& taint : taints == nullptr ? std::vector<YamlNode>() : taints->items) {
    const YamlNode* key = FindValue(taint, "key");
    const YamlNode* effect = FindValue(taint, "effect");
    const YamlNode* value = FindValue(taint, "value");
    if (key == nullptr || effect == nullptr || (effect->text != "NoSchedule" && effect->text != "NoExecute")) continue;
    if (key->text == "node.kubernetes.io/unschedulable") continue;  // the cordon, which is told below
    if (IsAcceleratorTaint(key->text) ||
        std::find(tolerations.begin(), tolerations.end(), key->text) != tolerations.end()) {
      continue;
    }
    const std::string text =
        absl::StrCat("taint ", Brief(key->text), value == nullptr || value->text.empty() ? "" : "=",
                     value == nullptr ? "" : Brief(value->text), ":", effect->text);
    Keep(key->text == "muster.dev/unhealthy" ? v1::QUARANTINED : v1::DRAINING, text, node);
  }
  const YamlNode* cordoned = FindPath(object, {"spec", "unschedulable"});
  if (cordoned != nullptr && cordoned->text == "true") Keep(v1::DRAINING, "cordoned", node);
}

}  // namespace

absl::StatusOr<v1::Node> ReadNode(const YamlNode& object, absl::string_view file,
                                  const std::vector<std::string>& tolerations) {
  v1::Node node;
  node.set_source("kubernetes");
  if (absl::Status status = ReadMetadata(object, file, *node.mutable_info()); !status.ok()) return status;
  if (absl::Status status = ReadCapacity(object, file, *node.mutable_info()); !status.ok()) return status;
  SetAddress(object, *node.mutable_info());
  SetCondition(object, tolerations, node);
  return node;
}

}  // namespace muster::inventory
