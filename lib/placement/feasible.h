#pragma once
// Whether a job can be placed at all, and if not, why: counting only, before any search.

#include <vector>

#include "absl/types/optional.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/request.h"
#include "lib/placement/slices.h"

namespace muster::placement {

// A request on a cluster, with all that follows from the two and no search needs to look up again.
struct Question {
  const Request* request = nullptr;
  const Cluster* cluster = nullptr;
  std::vector<bool> eligible;  // by NodeIndex: could ever be used
  std::vector<bool> usable;    // eligible, free and ok
  std::vector<SliceRule> rules;
  int required_tier = kNoTier;
  int preferred_tier = kNoTier;
  int32_t spares = 0;

  int64_t needed() const { return int64_t{request->units} + spares; }
};

// Never: the job names a tier that the cluster doesn't have.
absl::optional<Never> Ask(const Request& request, const Cluster& cluster, Question& question);

// nullopt: it fits now. Exact: Never if and only if it would not fit with every node free and ok.
absl::optional<Decision> WhyNot(const Question& question);

}  // namespace muster::placement
