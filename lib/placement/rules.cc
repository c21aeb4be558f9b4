#include "lib/placement/rules.h"

#include <algorithm>
#include <map>

namespace muster::placement {
namespace {

CountRule CountRuleOf(const v1::PlacementSpec::PerDomain& wanted, int tier, const Request& request) {
  const int32_t per_node = request.members_per_node;
  CountRule rule{tier, 0, request.units};
  // A multiple of a node's members, or all of them.
  const auto nodes = [&](int32_t members) { return (members - 1) / per_node + 1; };
  if (wanted.min() > 0) rule.least = nodes(wanted.min());
  if (wanted.max() > 0) rule.most = std::min(request.units, nodes(wanted.max()));
  return rule;
}

bool CountsHold(const CountRule& rule, const Topology& topology, const Units& units) {
  std::map<DomainIndex, int64_t> counts;
  for (const NodeIndex unit : units) ++counts[*topology.DomainOf(unit, rule.tier)];
  return std::all_of(counts.begin(), counts.end(), [&](const auto& each) { return rule.Allows(each.second); });
}

bool ApartHolds(const ApartRule& rule, const Topology& topology, const Units& units) {
  std::map<DomainIndex, int32_t> owners;
  for (size_t unit = 0; unit < units.size(); ++unit) {
    const auto [at, added] = owners.emplace(*topology.DomainOf(units[unit], rule.tier), rule.replica[unit]);
    if (at->second != rule.replica[unit]) return false;
  }
  return true;
}

}  // namespace

Rules RulesOf(const Request& request, const Topology& topology) {
  Rules rules;
  rules.slices = SliceRulesOf(request, topology);
  for (const v1::PlacementSpec::PerDomain& wanted : request.spec.placement().per_domain()) {
    if (const auto tier = topology.tiers().Find(wanted.tier())) {
      rules.counts.push_back(CountRuleOf(wanted, static_cast<int>(*tier), request));
    }
  }
  std::sort(rules.counts.begin(), rules.counts.end(),
            [](const CountRule& a, const CountRule& b) { return a.tier < b.tier; });
  const auto apart = topology.tiers().Find(request.spec.placement().apart().tier());
  if (!apart || request.replica.empty() || request.replicas < 2) return rules;
  rules.apart = {static_cast<int>(*apart), request.replica, request.replicas, request.units / request.replicas};
  return rules;
}

bool KnowsTiers(const Rules& rules, const Topology& topology, NodeIndex node) {
  if (!KnowsSliceTiers(rules.slices, topology, node)) return false;
  if (rules.apart.tier != kNoTier && !topology.DomainOf(node, rules.apart.tier)) return false;
  return std::all_of(rules.counts.begin(), rules.counts.end(),
                     [&](const CountRule& rule) { return topology.DomainOf(node, rule.tier).has_value(); });
}

bool RulesHold(const Rules& rules, const Topology& topology, const Units& units) {
  for (const NodeIndex unit : units) {
    if (!KnowsTiers(rules, topology, unit)) return false;
  }
  if (!SlicesHold(rules.slices, topology, units)) return false;
  for (const CountRule& rule : rules.counts) {
    if (!CountsHold(rule, topology, units)) return false;
  }
  return rules.apart.tier == kNoTier || ApartHolds(rules.apart, topology, units);
}

}  // namespace muster::placement
