#include "tests/benchmarks/placement/rerank.h"

#include "lib/placement/cost.h"
#include "lib/placement/eligible.h"
#include "lib/placement/slices.h"

namespace muster::placement {

absl::optional<Reranked> Rerank(const Instance& instance, Baseline rule, const SearchOptions& options) {
  if (!instance.request || !instance.pinned.empty()) return absl::nullopt;
  const Request& request = *instance.request;
  const Topology& topology = *instance.cluster.topology;
  const auto tier = [&](const std::string& name) {
    const auto found = topology.tiers().Find(name);
    return found ? static_cast<int>(*found) : kNoTier;
  };
  BaselineJob job;
  job.units = request.units;
  job.required_tier = tier(request.spec.placement().required());
  job.preferred_tier = tier(request.spec.placement().preferred());
  for (const SliceRule& slice : SliceRulesOf(request, topology)) job.slices.push_back({slice.tier, slice.units});
  std::vector<bool> usable = EligibleNodes(request, instance.cluster);
  for (size_t i = 0; i < usable.size(); ++i) {
    usable[i] = usable[i] && instance.cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  }
  const auto chosen = PlaceAs(rule, topology, usable, job);
  if (!chosen.ok()) return absl::nullopt;
  const Units ours = RankOver(request, instance.cluster, instance.costs, *chosen, options);
  return Reranked{CostOf(request.traffic, topology, instance.costs, *chosen),
                  CostOf(request.traffic, topology, instance.costs, ours)};
}

}  // namespace muster::placement
