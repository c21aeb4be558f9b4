#pragma once
// What other schedulers would do with the same free nodes: named rules to compare with. Written anew after their
// published descriptions; they know nothing of traffic, and so of cost.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lib/topology/topology.h"

namespace muster::placement {

// kKueue: Kueue's topology-aware BestFit; ranks by label path in string order (kueue.h).
// kSlurm: topology/tree's best-fit leaf switches; ranks in topology order (slurm.h).
// kTorchrun: Kueue's nodes; ranks as torchrun's c10d rendezvous gives them, by host name in string order.
enum class Baseline { kKueue, kSlurm, kTorchrun };

// All, in the order in which they are shown.
std::vector<Baseline> AllBaselines();
// "kueue", "slurm", "torchrun".
const char* BaselineName(Baseline baseline);
absl::optional<Baseline> FindBaseline(absl::string_view name);

// Node by unit, or in no order.
using Nodes = std::vector<NodeIndex>;

// What such a scheduler is told of a job.
struct BaselineJob {
  int32_t units = 0;  // nodes
  int required_tier = kNoTier;
  int preferred_tier = kNoTier;
  // Every `units` consecutive units in one domain of the tier; coarse to fine, each size a multiple of the next one's.
  struct Slice {
    int tier = kNoTier;
    int32_t units = 1;
  };
  std::vector<Slice> slices = {};
};

// The node of each unit, chosen and ordered by the rule among the nodes that are `usable` (by NodeIndex).
// FAILED_PRECONDITION, saying why: the rule finds no placement, or none that holds the slices.
absl::StatusOr<Nodes> PlaceAs(Baseline baseline, const Topology& topology, const std::vector<bool>& usable,
                              const BaselineJob& job);

// The same nodes in the order in which the rule would give them their ranks. Kueue knows no node without a label; such
// ones come as if the label were "".
Nodes OrderAs(Baseline baseline, const Topology& topology, Nodes nodes);

}  // namespace muster::placement
