#include "client/cli/plan_offline.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "lib/placement/plan_job.h"

namespace muster::cli {

int64_t GpusNeeded(const v1::JobSpec& spec) {
  return int64_t{std::max(1, spec.workers_per_member())} * std::max(1, spec.placement().members_per_node());
}

absl::StatusOr<v1::PlanResponse> PlanOffline(Context& context, const JobFile& job, const NodesSource& nodes) {
  auto read = nodes.ReadNodes(context.in, GpusNeeded(job.spec), context.now());
  if (!read.ok()) return read.status();
  absl::StatusOr<v1::PlanResponse> plan = placement::PlanJob(absl::StrCat(job.ns, "/", job.name), job.spec,
                                                             std::move(read->cluster), nodes.what_if, &read->outlook);
  if (absl::IsInvalidArgument(plan.status())) return AboutFile(WithLine(plan.status(), job));
  if (!plan.ok()) return plan.status();
  for (const std::string& note : read->notes) plan->add_notes(note);
  return plan;
}

absl::StatusOr<v1::PlanResponse> PlanLive(Context& context, const JobFile& job, const NodesSource& nodes) {
  v1::PlanRequest request;
  request.set_namespace_(job.ns);
  request.set_name(job.name);
  *request.mutable_spec() = job.spec;
  request.mutable_what_if()->Assign(nodes.what_if.begin(), nodes.what_if.end());
  absl::StatusOr<v1::PlanResponse> plan = context.coordinator().Plan(request);
  if (absl::IsInvalidArgument(plan.status())) return AboutFile(WithLine(plan.status(), job));
  return plan;
}

}  // namespace muster::cli
