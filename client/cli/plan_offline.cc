#include "client/cli/plan_offline.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/job/validate.h"
#include "lib/placement/cluster.h"
#include "lib/placement/explain.h"
#include "lib/placement/place.h"
#include "lib/placement/request.h"

namespace muster::cli {

absl::StatusOr<v1::PlanResponse> PlanOffline(const JobFile& job, const NodeFile& nodes) {
  std::vector<v1::Node> inventory;
  for (const v1::NodeInfo& info : nodes.nodes) *inventory.emplace_back().mutable_info() = info;
  const absl::StatusOr<placement::Cluster> cluster = placement::MakeCluster(nodes.tiers, inventory);
  if (!cluster.ok()) return cluster.status();
  const absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(job.spec);
  if (!mesh.ok()) return mesh.status();
  const absl::StatusOr<placement::Request> request =
      placement::RequestOf(absl::StrCat(job.ns, "/", job.name), job.spec, *mesh);
  if (!request.ok()) return request.status();

  v1::PlanResponse response;
  *response.mutable_explanation() = placement::Explain(*request, *cluster, placement::Place(*request, *cluster));
  if (*mesh != nullptr) {
    for (const std::string& note : (*mesh)->notes()) response.add_notes(note);
  }
  return response;
}

}  // namespace muster::cli
