#include "client/cli/siblings.h"

#include <algorithm>

#include "lib/topology/natural_order.h"

namespace muster::cli {
namespace {

int64_t SlotsOf(const v1::NodeInfo& info) {
  const auto gpus = info.capacity().find("gpu");
  return gpus == info.capacity().end() ? info.accelerators_size() : gpus->second;
}

std::string KindOf(const v1::NodeInfo& info) { return info.accelerators().empty() ? "" : info.accelerators(0).kind(); }

// Tiers that both are known to share, from the coarsest on.
int Shared(const v1::Node& a, const v1::Node& b) {
  int shared = 0;
  while (shared < a.topology_path_size() && shared < b.topology_path_size() && !a.topology_path(shared).empty() &&
         a.topology_path(shared) == b.topology_path(shared)) {
    ++shared;
  }
  return shared;
}

}  // namespace

std::vector<std::string> SiblingsOf(const v1::Node& node, const std::vector<v1::Node>& nodes,
                                    const std::string& backend, int most) {
  std::vector<const v1::Node*> found;
  for (const v1::Node& other : nodes) {
    const auto& offered = other.info().backends();
    const bool tests = !offered.empty() && (backend.empty() || std::count(offered.begin(), offered.end(), backend) > 0);
    if (other.info().name() == node.info().name() || other.use() != v1::FREE || other.condition() != v1::NODE_OK ||
        !tests || SlotsOf(other.info()) != SlotsOf(node.info()) || KindOf(other.info()) != KindOf(node.info())) {
      continue;
    }
    found.push_back(&other);
  }
  const NaturalLess less;
  std::sort(found.begin(), found.end(), [&](const v1::Node* a, const v1::Node* b) {
    const int x = Shared(node, *a), y = Shared(node, *b);
    return x != y ? x > y : less(a->info().name(), b->info().name());
  });
  std::vector<std::string> names;
  for (const v1::Node* sibling : found) {
    if (static_cast<int>(names.size()) < most) names.push_back(sibling->info().name());
  }
  return names;
}

}  // namespace muster::cli
