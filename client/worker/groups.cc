#include "client/worker/groups.h"

#include <algorithm>

namespace muster::worker {
namespace {

int64_t Product(const google::protobuf::RepeatedField<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

std::vector<int64_t> MembersOf(int64_t base, const google::protobuf::RepeatedField<int64_t>& strides,
                               const google::protobuf::RepeatedField<int64_t>& sizes) {
  std::vector<int64_t> members(static_cast<size_t>(Product(sizes)));
  for (size_t j = 0; j < members.size(); ++j) {
    int64_t rest = static_cast<int64_t>(j), rank = base;
    for (int i = 0; i < sizes.size(); ++i) {
      rank += rest % sizes[i] * strides[i];
      rest /= sizes[i];
    }
    members[j] = rank;
  }
  return members;
}

std::vector<int64_t> Listed(const v1::StridedGroup& group) {
  if (group.members_size() > 0) return {group.members().begin(), group.members().end()};
  return MembersOf(group.base(), group.strides(), group.sizes());
}

}  // namespace

int64_t GlobalRank(const v1::Assignment& assignment, int32_t local_rank) {
  return int64_t{assignment.node_rank()} * assignment.workers_per_member() + local_rank;
}

std::optional<GroupView> GroupOf(const v1::Assignment& assignment, const v1::FamilyShape& family, int32_t local_rank) {
  const int64_t rank = GlobalRank(assignment, local_rank);
  GroupView view{.family = family.name(), .members = {}};
  if (family.groups_size() > 0) {
    // A worker's own assignment lists its group alone; a member's has one entry a local rank.
    const int entry = assignment.has_local_rank() ? 0 : local_rank;
    if (entry >= family.groups_size()) return std::nullopt;
    view.members = Listed(family.groups(entry));
  } else {
    // With a permutation the strides are over positions of the regular layout.
    const auto& permutation = assignment.mesh().permutation();
    int64_t position = rank;
    if (!permutation.empty()) {
      const auto it = std::find(permutation.begin(), permutation.end(), rank);
      if (it == permutation.end()) return std::nullopt;
      position = it - permutation.begin();
    }
    int64_t base = position;
    for (int i = 0; i < family.sizes_size(); ++i)
      base -= position / family.strides(i) % family.sizes(i) * family.strides(i);
    view.members = MembersOf(base, family.strides(), family.sizes());
    if (!permutation.empty()) {
      for (int64_t& member : view.members) member = permutation[static_cast<int>(member)];
    }
  }
  const auto self = std::find(view.members.begin(), view.members.end(), rank);
  if (self == view.members.end()) return std::nullopt;
  view.position = self - view.members.begin();
  view.size = static_cast<int64_t>(view.members.size());
  return view;
}

}  // namespace muster::worker
