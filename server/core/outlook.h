#pragma once
// What the coordinator knows of when nodes come free or are ok again. Loop only.

#include "absl/time/time.h"
#include "lib/placement/first_chance.h"
#include "server/core/job_table.h"
#include "server/core/node_table.h"

namespace muster::core {

// Ends: by the limits of the job that has the node, its maxDuration and its deadline (EndsBy in holders.h). Heals:
// where a quarantine has an expiry.
placement::Outlook OutlookOf(const JobTable& jobs, NodeTable& nodes, absl::Time now);

}  // namespace muster::core
