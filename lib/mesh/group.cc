#include "lib/mesh/group.h"

namespace muster::mesh {

GlobalRank Group::member(int64_t j) const {
  const int64_t position = base + OffsetAt(digits, j);
  return order ? order->At(position) : position;
}

absl::optional<int64_t> Group::IndexOf(GlobalRank rank) const {
  absl::optional<int64_t> position = order ? order->PositionOf(rank) : rank;
  if (!position || *position < 0) return absl::nullopt;
  return IndexAt(digits, *position - base);
}

std::vector<GlobalRank> Group::Members() const {
  std::vector<GlobalRank> members;
  const int64_t count = size();
  members.reserve(count);
  for (int64_t j = 0; j < count; ++j) members.push_back(member(j));
  return members;
}

bool operator==(const Group& a, const Group& b) {
  if (a.base != b.base || a.digits != b.digits) return false;
  return a.order == b.order || (a.order && b.order && *a.order == *b.order);
}

}  // namespace muster::mesh
