#include "lib/placement/plan_job.h"

#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "lib/job/validate.h"
#include "lib/placement/explain.h"
#include "lib/placement/place.h"
#include "lib/placement/request.h"
#include "lib/placement/what_if.h"

namespace muster::placement {
namespace {

std::string WithoutChanges(const Decision& decision) {
  const auto* placed = std::get_if<Placed>(&decision);
  if (placed == nullptr) return absl::StrCat("as it is, it can't be placed: ", ReasonOf(decision));
  const bool costs = placed->placement.crossings_size() > 0;
  return absl::StrCat("as it is: ", costs ? absl::StrCat("cost ", placed->placement.cost(), ", ") : "",
                      ReasonOf(decision));
}

}  // namespace

absl::StatusOr<v1::PlanResponse> PlanJob(const std::string& job, const v1::JobSpec& spec, Cluster cluster,
                                         const std::vector<std::string>& what_if, const Outlook* outlook, Nodes nodes) {
  const absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(spec);
  if (!mesh.ok()) return mesh.status();
  const absl::StatusOr<Request> request = RequestOf(job, spec, *mesh);
  if (!request.ok()) return request.status();
  v1::PlanResponse response;
  const Cluster as_it_is = what_if.empty() ? Cluster() : cluster;
  for (const std::string& change : what_if) {
    if (absl::Status status = ApplyWhatIf(change, cluster); !status.ok()) return status;
  }
  const Decision decision = Place(*request, cluster);
  *response.mutable_explanation() = Explain(*request, cluster, decision, outlook);
  const auto* never = std::get_if<Never>(&decision);
  if (nodes == Nodes::kMayCome && never != nullptr && !never->whatever_comes) {
    response.mutable_explanation()->set_feasibility(v1::NOT_NOW);
  }
  if (!what_if.empty()) response.add_notes(WithoutChanges(Place(*request, as_it_is)));
  if (*mesh != nullptr) {
    for (const std::string& note : (*mesh)->notes()) response.add_notes(note);
  }
  return response;
}

}  // namespace muster::placement
