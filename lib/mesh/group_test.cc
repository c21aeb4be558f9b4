#include "lib/mesh/group.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;

// Group 5 of dp × cp on the grid tp 4, cp 2, dp 4, pp 2.
const Group kDataContext = {33, {{4, 2}, {8, 4}}};

TEST(Group, StridedMembers_AreBasePlusDigits) {
  EXPECT_EQ(kDataContext.size(), 8);
  EXPECT_THAT(kDataContext.Members(), ElementsAre(33, 37, 41, 45, 49, 53, 57, 61));
}

TEST(Group, IndexOf_FindsMembersAndNoStrangers) {
  int64_t found = 0;
  for (GlobalRank rank = -1; rank < 70; ++rank) {
    const auto index = kDataContext.IndexOf(rank);
    if (!index) continue;
    EXPECT_EQ(kDataContext.member(*index), rank);
    ++found;
  }
  EXPECT_EQ(found, kDataContext.size());
}

TEST(Group, Alone_IsItsBase) {
  const Group group = {.base = 7, .digits = {}};
  EXPECT_THAT(group.Members(), ElementsAre(7));
  EXPECT_EQ(group.IndexOf(7), 0);
  EXPECT_EQ(group.IndexOf(8), absl::nullopt);
}

TEST(Group, WithOrder_MembersAreTheRanksAtThosePositions) {
  const Group group = {1, {{2, 2}}, *RankOrder::OfRanks({9, 4, 8, 6})};
  EXPECT_THAT(group.Members(), ElementsAre(4, 6));
  EXPECT_EQ(group.IndexOf(6), 1);
  EXPECT_EQ(group.IndexOf(9), absl::nullopt);
  EXPECT_EQ(group.IndexOf(1), absl::nullopt);
}

TEST(Group, Equality_ComparesOrdersByContent) {
  const Group group = {1, {{2, 2}}, *RankOrder::OfRanks({9, 4, 8, 6})};
  EXPECT_EQ(group, (Group{1, {{2, 2}}, *RankOrder::OfRanks({9, 4, 8, 6})}));
  EXPECT_NE(group, (Group{1, {{2, 2}}, *RankOrder::OfRanks({9, 4, 6, 8})}));
  EXPECT_NE(group, (Group{1, {{2, 2}}}));
}

}  // namespace
}  // namespace muster::mesh
