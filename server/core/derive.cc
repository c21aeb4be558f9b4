#include "server/core/derive.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/assignment/mesh_part.h"
#include "lib/job/validate.h"

namespace muster::core {

absl::Status Derive(Job& job) {
  absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(*job.gang.spec);
  if (!mesh.ok()) return mesh.status();
  job.mesh = *std::move(mesh);
  if (job.mesh != nullptr) {
    job.notes.assign(job.mesh->notes().begin(), job.mesh->notes().end());
    job.gang.mesh = [mesh = job.mesh](v1::Assignment& assignment) { return FillMeshPart(*mesh, assignment); };
  }
  absl::StatusOr<placement::Request> request = placement::RequestOf(job.FullName(), *job.gang.spec, job.mesh);
  if (!request.ok()) return request.status();
  job.request = std::make_shared<const placement::Request>(*std::move(request));
  return absl::OkStatus();
}

}  // namespace muster::core
