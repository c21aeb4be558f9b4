#include "lib/selftest/group_ranks.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::selftest {
namespace {

constexpr int64_t kMaxRank = std::numeric_limits<int64_t>::max();

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat("group: ", what)); }

// nullopt past 2^63-1 or below 0.
absl::optional<int64_t> RankAt(int64_t base, const v1::StridedGroup& group, int64_t index) {
  __int128 rank = base;
  for (int i = 0; i < group.sizes_size(); ++i) {
    rank += static_cast<__int128>(index % group.sizes(i)) * group.strides(i);
    index /= group.sizes(i);
  }
  if (rank < 0 || rank > kMaxRank) return absl::nullopt;
  return static_cast<int64_t>(rank);
}

absl::StatusOr<int64_t> SizeOf(const v1::StridedGroup& group) {
  if (group.strides_size() != group.sizes_size()) {
    return Bad(absl::StrCat(group.strides_size(), " strides for ", group.sizes_size(), " sizes"));
  }
  int64_t size = 1;
  for (int64_t s : group.sizes()) {
    if (s < 1) return Bad(absl::StrCat("size ", s, " is not at least 1"));
    if (s > kMaxGroupSize / size) return Bad(absl::StrCat("more than ", kMaxGroupSize, " members"));
    size *= s;
  }
  return size;
}

absl::Status CheckDistinct(std::vector<int64_t> members) {
  std::sort(members.begin(), members.end());
  if (!members.empty() && members.front() < 0) return Bad(absl::StrCat("member ", members.front(), " is negative"));
  const auto twice = std::adjacent_find(members.begin(), members.end());
  if (twice != members.end()) return Bad(absl::StrCat("member ", *twice, " is listed twice"));
  return absl::OkStatus();
}

}  // namespace

v1::StridedGroup ToMessage(const mesh::Group& group) {
  v1::StridedGroup message;
  if (group.order != nullptr) {
    for (int64_t rank : group.Members()) message.add_members(rank);
    return message;
  }
  message.set_base(group.base);
  for (const mesh::Digit& digit : group.digits) {
    message.add_strides(digit.stride);
    message.add_sizes(digit.size);
  }
  return message;
}

absl::StatusOr<std::vector<int64_t>> MembersOf(const v1::StridedGroup& group) {
  std::vector<int64_t> members;
  if (group.members_size() > 0) {
    if (group.members_size() > kMaxGroupSize) return Bad(absl::StrCat("more than ", kMaxGroupSize, " members"));
    members.assign(group.members().begin(), group.members().end());
  } else {
    absl::StatusOr<int64_t> size = SizeOf(group);
    if (!size.ok()) return size.status();
    members.reserve(static_cast<size_t>(*size));
    for (int64_t i = 0; i < *size; ++i) {
      const absl::optional<int64_t> rank = RankAt(group.base(), group, i);
      if (!rank) return Bad(absl::StrCat("member ", i, " is outside 0..2^63-1"));
      members.push_back(*rank);
    }
  }
  if (absl::Status s = CheckDistinct(members); !s.ok()) return s;
  return members;
}

}  // namespace muster::selftest
