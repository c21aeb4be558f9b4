#include "lib/placement/baselines/baseline.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/placement/baselines/kueue.h"
#include "lib/placement/baselines/slurm.h"

namespace muster::placement {
namespace {

// By label path, then name, as strings: rack-10 before rack-2.
Nodes ByPathText(const Topology& topology, Nodes nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    const TopologyNode& left = topology.node(a);
    const TopologyNode& right = topology.node(b);
    return left.path != right.path ? left.path < right.path : left.name < right.name;
  });
  return nodes;
}

Nodes ByHostName(const Topology& topology, Nodes nodes) {
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeIndex a, NodeIndex b) { return topology.node(a).name < topology.node(b).name; });
  return nodes;
}

Nodes ByTree(const Topology& topology, Nodes nodes) {
  std::vector<bool> chosen(topology.size());
  for (const NodeIndex node : nodes) chosen[node.value()] = true;
  nodes.clear();
  for (const NodeIndex node : topology.tree_order()) {
    if (chosen[node.value()]) nodes.push_back(node);
  }
  return nodes;
}

bool SlicesHold(const Topology& topology, const BaselineJob& job, const Nodes& units) {
  for (const BaselineJob::Slice& slice : job.slices) {
    for (size_t i = 0; i < units.size(); ++i) {
      const absl::optional<DomainIndex> domain = topology.DomainOf(units[i], slice.tier);
      if (!domain || domain != topology.DomainOf(units[i - i % slice.units], slice.tier)) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Baseline> AllBaselines() { return {Baseline::kKueue, Baseline::kSlurm, Baseline::kTorchrun}; }

const char* BaselineName(Baseline baseline) {
  switch (baseline) {
    case Baseline::kKueue:
      return "kueue";
    case Baseline::kSlurm:
      return "slurm";
    case Baseline::kTorchrun:
      return "torchrun";
  }
  return "";
}

absl::optional<Baseline> FindBaseline(absl::string_view name) {
  for (const Baseline baseline : AllBaselines()) {
    if (name == BaselineName(baseline)) return baseline;
  }
  return absl::nullopt;
}

absl::StatusOr<Nodes> PlaceAs(Baseline baseline, const Topology& topology, const std::vector<bool>& usable,
                              const BaselineJob& job) {
  absl::StatusOr<Nodes> nodes =
      baseline == Baseline::kSlurm ? SlurmNodes(topology, usable, job) : KueueNodes(topology, usable, job);
  if (!nodes.ok()) return nodes.status();
  Nodes units = OrderAs(baseline, topology, *std::move(nodes));
  if (!SlicesHold(topology, job, units)) {
    return absl::FailedPreconditionError(absl::StrCat(BaselineName(baseline), "'s order breaks a slice"));
  }
  return units;
}

Nodes OrderAs(Baseline baseline, const Topology& topology, Nodes nodes) {
  switch (baseline) {
    case Baseline::kKueue:
      return ByPathText(topology, std::move(nodes));
    case Baseline::kSlurm:
      return ByTree(topology, std::move(nodes));
    case Baseline::kTorchrun:
      return ByHostName(topology, std::move(nodes));
  }
  return nodes;
}

}  // namespace muster::placement
