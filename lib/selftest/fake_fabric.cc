#include "lib/selftest/fake_fabric.h"

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

}  // namespace

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
      double factor = 1;
      if (Uniform(random) < congestion) {
        factor = 1 / (0.5 + 0.3 * Uniform(random));
      }
      for (size_t i = 0; i < members.size(); ++i) {
        const int64_t rank = members[i].global_rank;
        if (silent.count(rank) > 0) continue;
        v1::StepResult result =
            SimulateMember(step, group.index(), members, static_cast<int64_t>(i), seed + plan.round()).value();
        for (double& us : *result.mutable_iteration_us()) us *= factor;
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
