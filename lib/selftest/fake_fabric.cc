#include "lib/selftest/fake_fabric.h"

#include <algorithm>
#include <cmath>

#include "lib/selftest/group_ranks.h"

namespace muster::selftest {
namespace {

// splitmix64: 0..1.
double Uniform(uint64_t& state) {
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

template <typename Map, typename Key>
double At(const Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? 1 : at->second;
}

}  // namespace

double FakeFabric::FactorOf(const Setting& setting, const std::vector<int64_t>& ranks) const {
  std::set<int32_t> nodes;
  std::set<std::string> domains;
  double factor = 1;
  for (int64_t rank : ranks) {
    nodes.insert(setting.NodeRankOf(rank));
    factor = std::max(factor, At(accelerators, rank));
  }
  if (nodes.size() < 2) return factor;
  for (int64_t rank : ranks) {
    factor = std::max({factor, At(nics, rank), At(rails, static_cast<int32_t>(rank % setting.workers_per_member))});
  }
  for (int32_t node : nodes) {
    if (cut_off.count(node) > 0) return HUGE_VAL;
    const auto& path = setting.placement->ranks(node).topology_path();
    if (!path.empty()) domains.insert(path.Get(path.size() - 1));
  }
  if (nodes.size() == 2) factor = std::max(factor, At(routes, std::make_pair(*nodes.begin(), *nodes.rbegin())));
  if (domains.size() < 2) return factor;
  for (const std::string& domain : domains) factor = std::max(factor, At(uplinks, domain));
  return factor;
}

std::vector<v1::StepResult> FakeFabric::Run(const Setting& setting, const v1::TestPlan& plan) const {
  std::vector<v1::StepResult> results;
  uint64_t random = seed * 1000 + static_cast<uint64_t>(plan.round());
  for (const v1::TestStep& step : plan.steps()) {
    for (const v1::TestGroup& group : step.groups()) {
      std::vector<SimulatedMember> members;
      const auto ranks = MembersOf(group.ranks());
      for (int64_t rank : ranks.value()) {
        const int32_t node = setting.NodeRankOf(rank);
        const auto link = links.find(node);
        members.push_back({rank, node, link == links.end() ? LinkFaults{} : link->second});
      }
      double factor = FactorOf(setting, *ranks);
      if (Uniform(random) < congestion) {
        factor *= 1 / (0.5 + 0.3 * Uniform(random));
      }
      for (size_t i = 0; i < members.size(); ++i) {
        const int64_t rank = members[i].global_rank;
        if (silent.count(rank) > 0) continue;
        v1::StepResult result =
            SimulateMember(step, group.index(), members, static_cast<int64_t>(i), seed + plan.round()).value();
        for (double& us : *result.mutable_iteration_us()) us *= factor;
        if (std::isinf(factor)) {
          result.clear_iteration_us();
          result.set_error("gloo: Timed out waiting 10000ms for recv operation to complete");
        }
        if (const auto error = errors.find(rank); error != errors.end()) {
          result.clear_iteration_us();
          result.set_error(error->second);
        }
        results.push_back(std::move(result));
      }
    }
  }
  return results;
}

}  // namespace muster::selftest
