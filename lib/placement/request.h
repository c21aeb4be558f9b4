#pragma once
// What is to be placed, in the terms of placement: units and how they talk.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mesh/mesh.h"
#include "lib/placement/traffic.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::placement {

// A unit is what one node takes: members_per_node consecutive node ranks (the last unit may hold fewer).
// Immutable after RequestOf; costs O(members) memory, so make it once a job.
struct Request {
  std::string job;  // namespace/name, for sentences
  v1::JobSpec spec;
  std::shared_ptr<const mesh::Mesh> mesh;  // null: no mesh, no traffic
  int32_t units = 0;
  int32_t members_per_node = 1;
  // Workers of a full unit: what a node must have room for.
  int64_t slots = 1;
  UnitTraffic traffic;
  // Cost of each domain of the preferred tier beyond the first. Negative: the fewest domains come before any cost.
  int64_t preferred_penalty = -1;
  // Where replicas are kept apart: whose replica each unit belongs to, 0..replicas-1; each has equally many.
  std::vector<int32_t> replica;
  int32_t replicas = 0;
  // Cost of a unit's hop distance to the nearest spare, a hop as dear as one of gradients by default.
  int64_t spare_weight = 17;
};

// `spec` is valid (lib/job/validate.h) and `mesh` is its mesh for members · workers_per_member workers, or null.
// INVALID_ARGUMENT: a traffic item names a family that the mesh doesn't have; slices, or counts by domain, that don't
// align with members per node; replicas apart that no axis tells apart, that share nodes or that come with slices or
// counts; RESOURCE_EXHAUSTED: as UnitTraffic::Of.
absl::StatusOr<Request> RequestOf(std::string job, const v1::JobSpec& spec, std::shared_ptr<const mesh::Mesh> mesh);

}  // namespace muster::placement
