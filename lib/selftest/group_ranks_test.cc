#include "lib/selftest/group_ranks.h"

#include <gtest/gtest.h>

namespace muster::selftest {
namespace {

v1::StridedGroup Strided(int64_t base, std::vector<std::pair<int64_t, int64_t>> digits) {
  v1::StridedGroup group;
  group.set_base(base);
  for (const auto& [stride, size] : digits) {
    group.add_strides(stride);
    group.add_sizes(size);
  }
  return group;
}

TEST(GroupRanks, StridedGroup_ListsItsMembersFirstDigitFastest) {
  EXPECT_EQ(MembersOf(Strided(3, {{8, 2}, {32, 2}})).value(), (std::vector<int64_t>{3, 11, 35, 43}));
  EXPECT_EQ(MembersOf(Strided(5, {})).value(), std::vector<int64_t>{5});
}

TEST(GroupRanks, MessageOfAMeshGroup_HasTheSameMembers) {
  mesh::Group group;
  group.base = 2;
  group.digits = {{4, 3}, {1, 1}, {100, 2}};
  EXPECT_EQ(MembersOf(ToMessage(group)).value(), group.Members());
}

TEST(GroupRanks, ExplicitMembers_AreKeptInOrder) {
  v1::StridedGroup group;
  for (int64_t rank : {7, 2, 5}) group.add_members(rank);
  EXPECT_EQ(MembersOf(group).value(), (std::vector<int64_t>{7, 2, 5}));
}

TEST(GroupRanks, HostileMessages_AreRefused) {
  v1::StridedGroup uneven = Strided(0, {{1, 2}});
  uneven.add_strides(4);
  v1::StridedGroup twice;
  twice.add_members(4);
  twice.add_members(4);
  v1::StridedGroup negative;
  negative.add_members(-1);
  for (const v1::StridedGroup& bad :
       {uneven, twice, negative, Strided(0, {{1, 0}}), Strided(0, {{1, -5}}), Strided(0, {{0, 2}}),
        Strided(-1, {{1, 2}}), Strided(0, {{1, INT64_MAX}}), Strided(0, {{1, 1 << 15}, {1 << 15, 1 << 15}}),
        Strided(1, {{INT64_MAX, 2}}), Strided(INT64_MAX, {{INT64_MAX, 2}, {INT64_MAX, 2}})}) {
    EXPECT_EQ(MembersOf(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad.ShortDebugString();
  }
}

}  // namespace
}  // namespace muster::selftest
