#include "lib/placement/request.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/placement/default_traffic.h"
#include "lib/placement/replicas.h"

namespace muster::placement {
namespace {

absl::Status CheckSlices(const v1::JobSpec& spec, int32_t members_per_node) {
  for (int i = 0; i < spec.placement().slices_size(); ++i) {
    const int32_t size = spec.placement().slices(i).size();
    if (size < 1 || size % members_per_node == 0 || members_per_node % size == 0) continue;
    return FieldError(absl::StrCat("spec.placement.slices[", i, "].size"),
                      absl::StrCat(size, " members do not line up with ", members_per_node, " members a node"),
                      "make one a multiple of the other");
  }
  return absl::OkStatus();
}

// The last node may hold fewer; it counts as a full one.
absl::Status CheckCounts(const v1::JobSpec& spec, int32_t members_per_node) {
  for (int i = 0; i < spec.placement().per_domain_size(); ++i) {
    const v1::PlacementSpec::PerDomain& counts = spec.placement().per_domain(i);
    for (const auto& [name, count] : {std::make_pair("min", counts.min()), std::make_pair("max", counts.max())}) {
      if (count % members_per_node == 0 || count == spec.members()) continue;
      return FieldError(absl::StrCat("spec.placement.perDomain[", i, "].", name),
                        absl::StrCat(count, " members do not line up with ", members_per_node, " members a node"),
                        absl::StrCat("give a multiple of ", members_per_node));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Request> RequestOf(std::string job, const v1::JobSpec& spec, std::shared_ptr<const mesh::Mesh> mesh) {
  Request request;
  request.job = std::move(job);
  request.spec = spec;
  request.mesh = std::move(mesh);
  const int32_t members = std::max(spec.members(), 1);
  const int32_t workers = std::max(spec.workers_per_member(), 1);
  request.members_per_node = std::min(std::max(spec.placement().members_per_node(), 1), members);
  request.units = (members - 1) / request.members_per_node + 1;
  request.slots = int64_t{request.members_per_node} * workers;
  if (absl::Status status = CheckSlices(spec, request.members_per_node); !status.ok()) return status;
  if (absl::Status status = CheckCounts(spec, request.members_per_node); !status.ok()) return status;
  const v1::PlacementSpec& wanted = spec.placement();
  if (wanted.has_preferred_penalty()) request.preferred_penalty = wanted.preferred_penalty();
  if (wanted.has_spare_weight()) request.spare_weight = wanted.spare_weight();
  if (wanted.has_apart()) {
    auto replica = ReplicasOf(spec, request.mesh.get(), request.units, request.slots);
    if (!replica.ok()) return replica.status();
    request.replica = *std::move(replica);
    request.replicas = *std::max_element(request.replica.begin(), request.replica.end()) + 1;
  }
  if (request.mesh == nullptr) return request;
  std::vector<v1::TrafficItem> items(spec.placement().traffic().begin(), spec.placement().traffic().end());
  if (items.empty()) items = DefaultTraffic(*request.mesh);
  auto traffic = UnitTraffic::Of(*request.mesh, items, request.slots);
  if (!traffic.ok()) return traffic.status();
  request.traffic = *std::move(traffic);
  return request;
}

}  // namespace muster::placement
