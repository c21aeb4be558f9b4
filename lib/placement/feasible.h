#pragma once
// Whether a job can be placed at all, and if not, why: counting only, before any search.

#include <vector>

#include "absl/types/optional.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/likes.h"
#include "lib/placement/request.h"
#include "lib/placement/rules.h"

namespace muster::placement {

// A request on a cluster, with all that follows from the two and no search needs to look up again.
struct Question {
  const Request* request = nullptr;
  const Cluster* cluster = nullptr;
  std::vector<bool> eligible;  // by NodeIndex: could ever be used
  std::vector<bool> usable;    // eligible, free and ok
  Rules rules;
  Likes likes;
  int required_tier = kNoTier;
  int preferred_tier = kNoTier;
  int32_t spares = 0;

  int64_t needed() const { return int64_t{request->units} + spares; }
};

// What no node that comes can change: the job names a tier that the cluster doesn't have, or its traffic needs a way
// between rails on a rail-only fabric. O(traffic) at most.
absl::optional<Never> Refusal(const Request& request, const Tiers& tiers);

// Never: Refusal's.
absl::optional<Never> Ask(const Request& request, const Cluster& cluster, Question& question);

// nullopt: it fits now. Exact: Never if and only if it would not fit with every node free and ok; with replicas apart
// only where that is proven (room.h).
absl::optional<Decision> WhyNot(const Question& question);

// Leaves out the nodes to be avoided if it fits without them. Precondition: it fits.
void LeaveOutAvoided(Question& question);

}  // namespace muster::placement
