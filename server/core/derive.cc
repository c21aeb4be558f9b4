#include "server/core/derive.h"

#include <utility>

#include "lib/assignment/mesh_part.h"
#include "lib/job/validate.h"
#include "server/core/backend_label.h"

namespace muster::core {

absl::StatusOr<Derived> DeriveFrom(const std::string& full_name, const v1::JobSpec& spec) {
  Derived derived;
  absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(spec);
  if (!mesh.ok()) return mesh.status();
  derived.mesh = *std::move(mesh);
  v1::JobSpec wanted = spec;
  const v1::SelfTestSpec& test = spec.self_test();
  if (!test.backend().empty() && test.profile() != v1::SelfTestSpec::NONE)
    (*wanted.mutable_placement()->mutable_node_selector())[BackendLabel(test.backend())] = kHasBackend;
  absl::StatusOr<placement::Request> request = placement::RequestOf(full_name, wanted, derived.mesh);
  if (!request.ok()) return request.status();
  derived.request = std::make_shared<const placement::Request>(*std::move(request));
  return derived;
}

void SetDerived(Job& job, const Derived& derived) {
  job.mesh = derived.mesh;
  job.request = derived.request;
  if (job.mesh == nullptr) return;
  job.notes.assign(job.mesh->notes().begin(), job.mesh->notes().end());
  job.gang.mesh = [mesh = job.mesh](v1::Assignment& assignment) { return FillMeshPart(*mesh, assignment); };
}

absl::Status Derive(Job& job) {
  if (std::holds_alternative<gang::Finished>(job.gang.state) &&
      job.gang.facts.owner != gang::Facts::OwnerState::kLiving) {
    // It needs no nodes any more; its mesh's notes are shown.
    absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(*job.gang.spec);
    if (!mesh.ok()) return mesh.status();
    SetDerived(job, {*std::move(mesh), nullptr});
    return absl::OkStatus();
  }
  absl::StatusOr<Derived> derived = DeriveFrom(job.FullName(), *job.gang.spec);
  if (!derived.ok()) return derived.status();
  SetDerived(job, *derived);
  return absl::OkStatus();
}

}  // namespace muster::core
