#pragma once
// The whole reasoning, for people: what `muster explain` and `muster plan` print.

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// Summary, one line a domain or constraint, ways out (each a command or a change to the job) and, with OK, the
// placement; with NotNow also when it is possible at the latest by what holders and quarantines have declared, as seen
// from `now`. `decision` is Place's on the same request and cluster.
v1::Explanation Explain(const Request& request, const Cluster& cluster, const Decision& decision,
                        absl::Time now = absl::InfinitePast());

}  // namespace muster::placement
