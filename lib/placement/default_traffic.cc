#include "lib/placement/default_traffic.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace muster::placement {
namespace {

constexpr int64_t kTensor = 300;
constexpr int64_t kPointToPoint = 70;
constexpr int64_t kGradients = 17;
constexpr int64_t kExpertsOfARank = 140;

void Add(const mesh::Mesh& mesh, absl::string_view family, v1::TrafficItem::Pattern pattern, int64_t weight,
         std::vector<v1::TrafficItem>& items) {
  const mesh::Family* found = mesh.Find(family);
  if (found == nullptr || found->max_size() < 2) return;
  v1::TrafficItem item;
  item.set_family(std::string(family));
  item.set_pattern(pattern);
  item.set_weight(weight);
  items.push_back(std::move(item));
}

void AddExperts(const mesh::Mesh& mesh, absl::string_view copies, std::vector<v1::TrafficItem>& items) {
  const mesh::Family* ep = mesh.Find("ep");
  if (ep == nullptr || ep->max_size() < 2) return;
  Add(mesh, "ep", v1::TrafficItem::ALL_PAIRS, std::max<int64_t>(1, kExpertsOfARank / ep->max_size()), items);
  Add(mesh, copies, v1::TrafficItem::RING, kGradients, items);
}

bool OneOf(absl::string_view axis, std::initializer_list<absl::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](absl::string_view name) { return axis == name; });
}

void AddAxis(const mesh::Mesh& mesh, absl::string_view axis, std::vector<v1::TrafficItem>& items) {
  if (OneOf(axis, {"pp", "pipe", "pipeline", "pipeline_parallel"})) {
    Add(mesh, axis, v1::TrafficItem::CHAIN, kPointToPoint, items);
  } else if (OneOf(axis, {"tp", "model", "tensor", "model_parallel", "tensor_parallel"})) {
    // DeepSpeed's pipeline grid calls the groups of its model axis slices.
    Add(mesh, mesh.Find(axis) == nullptr && axis == "model" ? "slice" : axis, v1::TrafficItem::RING, kTensor, items);
  } else if (OneOf(axis, {"cp", "context", "context_parallel", "sp", "seq", "sequence"})) {
    Add(mesh, axis, v1::TrafficItem::RING, kPointToPoint, items);
  } else {
    Add(mesh, axis, v1::TrafficItem::RING, kGradients, items);
  }
}

}  // namespace

std::vector<v1::TrafficItem> DefaultTraffic(const mesh::Mesh& mesh) {
  std::vector<v1::TrafficItem> items;
  if (mesh.dialect() == "megatron") {
    Add(mesh, "tp", v1::TrafficItem::RING, kTensor, items);
    Add(mesh, "cp", v1::TrafficItem::RING, kPointToPoint, items);
    Add(mesh, "dp_cp", v1::TrafficItem::RING, kGradients, items);
    Add(mesh, "pp", v1::TrafficItem::CHAIN, kPointToPoint, items);
    AddExperts(mesh, "ep_dp", items);
    return items;
  }
  for (const mesh::Axis& axis : mesh.dense().axes()) AddAxis(mesh, axis.name, items);
  if (mesh.dialect() == "deepspeed") AddExperts(mesh, "edp", items);
  return items;
}

}  // namespace muster::placement
