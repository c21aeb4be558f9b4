#pragma once
// A worker's groups from the shapes in its assignment: the arithmetic that FamilyShape documents, O(digits) a family.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/muster/v1/assignment.pb.h"
#include "proto/muster/v1/mesh.pb.h"

namespace muster::worker {

// One group as its member sees it.
struct GroupView {
  std::string family;
  int64_t size = 1;
  // Of this worker among the members, 0..size-1.
  int64_t position = 0;
  // Global ranks in group order.
  std::vector<int64_t> members;
};

// The group of a worker in `family`; of a ring's pairs the one that it begins. nullopt: it is in none. O(size) for the
// list of members.
std::optional<GroupView> GroupOf(const v1::Assignment& assignment, const v1::FamilyShape& family, int32_t local_rank);

int64_t GlobalRank(const v1::Assignment& assignment, int32_t local_rank);

}  // namespace muster::worker
