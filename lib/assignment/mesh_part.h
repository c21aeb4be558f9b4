#pragma once
// The part of an assignment that follows from the job's mesh: axes, families and, for a worker, its coordinates. The
// same for every member of a gang but for what is relative to its node rank.

#include <memory>

#include "absl/status/status.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster {

// Fills `dense_axes`, `expert_axes` and `families`, and with `local_rank` set `dense` and `expert`, of an assignment
// that has its mesh, node_rank, workers_per_member and world. Families of singletons are left out. O(axes · families);
// a family that no strides express costs its groups' members.
// INTERNAL: the worker is outside the mesh, which is then not the job's.
absl::Status FillMeshPart(const mesh::Mesh& mesh, v1::Assignment& assignment);

}  // namespace muster
