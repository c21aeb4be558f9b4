#include "lib/placement/eligible.h"

#include <set>
#include <string>

namespace muster::placement {

std::vector<bool> EligibleNodes(const Request& request, const Cluster& cluster) {
  const v1::PlacementSpec& wanted = request.spec.placement();
  const std::set<std::string> named(wanted.nodes().begin(), wanted.nodes().end());
  std::vector<bool> eligible(cluster.topology->size());
  for (int32_t i = 0; i < cluster.topology->size(); ++i) {
    const NodeFacts& facts = cluster.facts_of(NodeIndex(i));
    bool fits = facts.slots >= request.slots;
    fits = fits && (named.empty() || named.count(cluster.topology->node(NodeIndex(i)).name) > 0);
    for (const auto& [key, value] : wanted.node_selector()) {
      const auto label = facts.labels.find(key);
      fits = fits && label != facts.labels.end() && label->second == value;
    }
    eligible[i] = fits;
  }
  return eligible;
}

}  // namespace muster::placement
