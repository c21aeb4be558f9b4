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

// Base of the group that `position` is in; nullopt: in none. The digits are nested, so that each quotient by descending
// stride is its digit.
std::optional<int64_t> BaseOf(const v1::FamilyShape& family, int64_t position) {
  if (family.outer_sizes_size() == 0) {
    int64_t base = position;
    for (int i = 0; i < family.sizes_size(); ++i)
      base -= position / family.strides(i) % family.sizes(i) * family.strides(i);
    return base;
  }
  struct Step {
    int64_t stride, size;
    bool outer;
  };
  std::vector<Step> steps;
  for (int i = 0; i < family.sizes_size(); ++i) steps.push_back({family.strides(i), family.sizes(i), false});
  for (int i = 0; i < family.outer_sizes_size(); ++i)
    steps.push_back({family.outer_strides(i), family.outer_sizes(i), true});
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.stride > b.stride; });
  int64_t rest = position - family.first(), base = family.first();
  if (rest < 0) return std::nullopt;
  for (const Step& step : steps) {
    const int64_t digit = rest / step.stride;
    if (digit >= step.size) return std::nullopt;
    rest -= digit * step.stride;
    if (step.outer) base += digit * step.stride;
  }
  if (rest != 0) return std::nullopt;
  return base;
}

// The group of `position`, in positions.
std::optional<std::vector<int64_t>> Positions(const v1::FamilyShape& family, int64_t position) {
  const std::optional<int64_t> base = BaseOf(family, position);
  if (!base) return std::nullopt;
  std::vector<int64_t> members = MembersOf(*base, family.strides(), family.sizes());
  const auto self = std::find(members.begin(), members.end(), position);
  if (self == members.end()) return std::nullopt;
  const int64_t place = self - members.begin(), size = static_cast<int64_t>(members.size());
  if (family.ring()) return std::vector<int64_t>{position, members[static_cast<size_t>((place + 1) % size)]};
  if (family.block() > 0) {
    const int64_t from = place / family.block() * family.block();
    return std::vector<int64_t>(members.begin() + from, members.begin() + std::min(size, from + family.block()));
  }
  return members;
}

// Where the rank stands in the mesh; nullopt: outside of it.
std::optional<int64_t> PositionOf(const v1::Assignment& assignment, int64_t rank) {
  const auto& permutation = assignment.mesh().permutation();
  if (permutation.empty()) return rank;
  const auto it = std::find(permutation.begin(), permutation.end(), rank);
  if (it == permutation.end()) return std::nullopt;
  return it - permutation.begin();
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
  std::optional<std::vector<int64_t>> members;
  if (family.groups_size() > 0) {
    // A worker's own assignment lists its group alone; a member's has one entry a local rank.
    const int entry = assignment.has_local_rank() ? 0 : local_rank;
    if (entry < family.groups_size() && !family.groups(entry).none()) members = Listed(family.groups(entry));
  } else if (std::optional<int64_t> position = PositionOf(assignment, rank)) {
    members = Positions(family, *position);
    const auto& permutation = assignment.mesh().permutation();
    if (members && !permutation.empty()) {
      for (int64_t& member : *members) member = permutation[static_cast<int>(member)];
    }
  }
  if (!members) return std::nullopt;
  const auto self = std::find(members->begin(), members->end(), rank);
  if (self == members->end()) return std::nullopt;
  const int64_t place = self - members->begin();
  return GroupView{.family = family.name(),
                   .size = static_cast<int64_t>(members->size()),
                   .position = place,
                   .members = *std::move(members)};
}

}  // namespace muster::worker
