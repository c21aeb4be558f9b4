#include "lib/placement/slices.h"

#include <algorithm>
#include <numeric>

namespace muster::placement {

std::vector<SliceRule> SliceRulesOf(const Request& request, const Topology& topology) {
  std::vector<SliceRule> rules;
  for (const v1::PlacementSpec::Slice& slice : request.spec.placement().slices()) {
    const absl::optional<size_t> tier = topology.tiers().Find(slice.tier());
    if (!tier || slice.size() < 1) continue;
    rules.push_back({static_cast<int>(*tier), std::max(slice.size() / request.members_per_node, 1)});
  }
  std::sort(rules.begin(), rules.end(), [](const SliceRule& a, const SliceRule& b) {
    return a.tier != b.tier ? a.tier < b.tier : a.units < b.units;
  });
  for (size_t i = rules.size(); i-- > 1;) {
    const int64_t common = std::lcm(int64_t{rules[i - 1].units}, int64_t{rules[i].units});
    rules[i - 1].units = static_cast<int32_t>(std::min<int64_t>(common, request.units));
  }
  return rules;
}

bool KnowsSliceTiers(const std::vector<SliceRule>& rules, const Topology& topology, NodeIndex node) {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const SliceRule& rule) { return topology.DomainOf(node, rule.tier).has_value(); });
}

bool SlicesHold(const std::vector<SliceRule>& rules, const Topology& topology, const Units& units) {
  for (const SliceRule& rule : rules) {
    for (size_t i = 0; i < units.size(); ++i) {
      const absl::optional<DomainIndex> domain = topology.DomainOf(units[i], rule.tier);
      if (!domain || domain != topology.DomainOf(units[i - i % rule.units], rule.tier)) return false;
    }
  }
  return true;
}

}  // namespace muster::placement
