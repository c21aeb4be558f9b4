#pragma once
// What would happen to a job: the coordinator's answer, or the same computed here on a file of nodes.

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "client/cli/nodes_source.h"
#include "lib/job/job_file.h"
#include "proto/muster/v1/job_service.pb.h"

namespace muster::cli {

// Without the self-test's estimate, which depends on what the agents offer; what was taken how in the file is among the
// notes. Errors, AboutFile (exit_code.h): the nodes, or the job's mesh or traffic, are invalid.
absl::StatusOr<v1::PlanResponse> PlanOffline(Context& context, const JobFile& job, const NodesSource& nodes);

// The coordinator's own answer, on its nodes after the changes of --what-if. Errors about the job are AboutFile.
absl::StatusOr<v1::PlanResponse> PlanLive(Context& context, const JobFile& job, const NodesSource& nodes);

// Accelerators that one node must have for the job.
int64_t GpusNeeded(const v1::JobSpec& spec);

}  // namespace muster::cli
