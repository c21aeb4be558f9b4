#pragma once
// What the coordinator's Plan answers, computed here on an inventory file: no coordinator is needed.

#include "absl/status/statusor.h"
#include "lib/job/job_file.h"
#include "lib/job/node_file.h"
#include "proto/muster/v1/job_service.pb.h"

namespace muster::cli {

// Without the self-test's estimate, which depends on what the agents offer. Errors: the job's mesh or traffic, or the
// nodes, are invalid.
absl::StatusOr<v1::PlanResponse> PlanOffline(const JobFile& job, const NodeFile& nodes);

}  // namespace muster::cli
