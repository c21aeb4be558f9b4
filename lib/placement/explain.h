#pragma once
// The whole reasoning, for people: what `muster explain` and `muster plan` print.

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/placement/first_chance.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// Summary, one line a domain or constraint, ways out (each a command or a change to the job) and, with OK, the
// placement and what more nodes would bring (gains.h); with NotNow also when it is possible at the latest by the
// outlook (nullptr: nothing is told of it). `decision` is Place's on the same request and cluster.
v1::Explanation Explain(const Request& request, const Cluster& cluster, const Decision& decision,
                        const Outlook* outlook = nullptr);

}  // namespace muster::placement
