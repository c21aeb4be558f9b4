#pragma once
// The one function that moves a job: deterministic, without I/O, clock or randomness. Runs on the coordinator's loop.

#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/gang/event.h"
#include "lib/gang/state.h"

namespace muster::gang {

// What one step changed. Nothing of it may be told to anyone before it is durable.
struct Change {
  // Gang must be committed before anybody acts on it.
  bool durable = false;
  // demands.h's answers may differ: issue them anew after the commit.
  bool demands = false;
  // Nodes to quarantine in the same commit. No expiry (InfiniteFuture): until confirmed or readmitted.
  struct Quarantine {
    NodeUid node;
    std::string reason;
    bool without_expiry = false;
  };
  std::vector<Quarantine> quarantines;
  // States entered in this step, in order; more than one where a state had nothing to wait for.
  std::vector<v1::Phase> phases;
  // Held calls to look at again: these members', or all.
  std::set<PodIndex> wake;
  bool wake_all = false;
};

// Moves `gang` by one event. Never fails: an event that doesn't apply changes nothing. Cost: O(log members) for an
// arrival.
Change Step(Gang& gang, const Event& event, absl::Time now);

}  // namespace muster::gang
