#include "lib/topology/accelerators.h"

#include <map>

#include "lib/topology/natural_order.h"

namespace muster {
namespace {

// Whether each accelerator domain is within one domain of the tier.
bool Within(const Topology& topology, const std::vector<AcceleratorDomain>& domains, int tier) {
  for (const AcceleratorDomain& domain : domains) {
    const absl::optional<DomainIndex> first = topology.DomainOf(domain.nodes.front(), tier);
    for (const NodeIndex node : domain.nodes) {
      if (topology.DomainOf(node, tier) != first) return false;
    }
  }
  return true;
}

// Whether no domain of the tier is in two accelerator domains.
bool Holds(const Topology& topology, const std::vector<AcceleratorDomain>& domains, int tier) {
  std::map<DomainIndex, const AcceleratorDomain*> owner;
  for (const AcceleratorDomain& domain : domains) {
    for (const NodeIndex node : domain.nodes) {
      const absl::optional<DomainIndex> below = topology.DomainOf(node, tier);
      if (below && owner.emplace(*below, &domain).first->second != &domain) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<AcceleratorDomain> AcceleratorDomainsOf(const Topology& topology) {
  std::map<std::string, std::vector<NodeIndex>, NaturalLess> found;
  for (int32_t i = 0; i < topology.size(); ++i) {
    const std::string& name = topology.node(NodeIndex(i)).accelerator;
    if (!name.empty()) found[name].push_back(NodeIndex(i));
  }
  std::vector<AcceleratorDomain> domains;
  for (auto& [name, nodes] : found) domains.push_back({name, std::move(nodes)});
  return domains;
}

absl::optional<size_t> NestingTier(const Topology& topology) {
  const std::vector<AcceleratorDomain> domains = AcceleratorDomainsOf(topology);
  if (domains.empty()) return absl::nullopt;
  const int tiers = static_cast<int>(topology.tiers().size());
  for (int at = tiers; at >= 0; --at) {
    if ((at == 0 || Within(topology, domains, at - 1)) && (at == tiers || Holds(topology, domains, at))) return at;
  }
  return absl::nullopt;
}

}  // namespace muster
