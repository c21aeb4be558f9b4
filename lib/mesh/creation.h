#pragma once
// The sequence of group creations that every rank of a job must go through alike.

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "lib/mesh/family.h"
#include "lib/mesh/mesh.h"

namespace muster::mesh {

struct GroupCreation {
  const Family& family;
  int64_t index = 0;       // group of the family
  bool gloo_twin = false;  // a Gloo group of the same ranks
};

// Number of calls, Gloo twins included.
int64_t CountCreations(const Mesh& mesh);

// Calls `create` once a creation, in order. O(groups of the mesh), so O(world): for people, tests and tools.
void ForEachCreation(const Mesh& mesh, absl::FunctionRef<void(const GroupCreation&)> create);

}  // namespace muster::mesh
