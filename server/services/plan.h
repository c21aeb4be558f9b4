#pragma once
// What would happen to a spec: placement, crossings, self-test, notes. Pure; may take long on a large cluster.

#include "absl/status/statusor.h"
#include "lib/placement/cluster.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/job_service.pb.h"

namespace muster::services {

// On the request's nodes if it has any (with its tiers, or else `tiers`), else on `live`. INVALID_ARGUMENT: a node or a
// tier is malformed, or the mesh can't be.
absl::StatusOr<v1::PlanResponse> PlanJob(const v1::PlanRequest& request, const placement::Cluster& live,
                                         const Tiers& tiers);

}  // namespace muster::services
