#pragma once
// Which running jobs would have to give up their nodes so that another fits, with the least work lost.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/queue/demand.h"
#include "lib/queue/horizon.h"

namespace muster::queue {

struct Victims {
  std::vector<size_t> holders;  // positions in the list given, ascending
  DomainIndex domain;           // where the job then fits
  int64_t lost = 0;             // node-seconds of work
};

// Work of a holder that would be lost, in node-seconds: all since it has had its nodes (what it saved is not known
// here).
int64_t WorkOf(const Holder& holder, absl::Time now);

// `usable`: eligible nodes that are or soon will be free. `may`: whether a holder may be chosen; those that are leaving
// or not preemptible never are. Without slices the least work lost in all, then the fewest jobs; with slices the jobs
// are taken by work lost a node that helps, and those that turn out needless are let go. nullopt: even all of them
// would not do. Ties go by the holders' order of submission.
std::optional<Victims> ChooseVictims(const Demand& demand, const placement::Cluster& cluster, const NodeSet& usable,
                                     const std::vector<Holder>& holders, absl::Time now,
                                     const std::function<bool(const Holder&)>& may);

}  // namespace muster::queue
