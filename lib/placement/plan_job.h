#pragma once
// What would happen to a job: the coordinator's Plan, and what `muster plan --nodes FILE` computes by itself.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/placement/cluster.h"
#include "lib/placement/first_chance.h"
#include "proto/muster/v1/job_service.pb.h"

namespace muster::placement {

// Whether the nodes of a cluster are all that there will be: if others may come, Never means that none of them helps.
enum class Nodes { kAllThereAre, kMayCome };

// The placement with its explanation after the changes of `what_if` (what_if.h), and the mesh's notes; with changes
// also a note that says what it would be without them. `job` is namespace/name. `outlook` as Explain. No estimate of
// the self-test. INVALID_ARGUMENT: the job's mesh, traffic or slices, or a change.
absl::StatusOr<v1::PlanResponse> PlanJob(const std::string& job, const v1::JobSpec& spec, Cluster cluster,
                                         const std::vector<std::string>& what_if, const Outlook* outlook = nullptr,
                                         Nodes nodes = Nodes::kAllThereAre);

}  // namespace muster::placement
