#include "lib/mesh/rank_order.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::mesh {
namespace {

TEST(RankOrder, OfDigits_MapsBothWaysWithoutAList) {
  const auto order = RankOrder::OfDigits(64, {{8, 4}, {1, 4}, {4, 2}});
  ASSERT_EQ(order->size(), 32);
  EXPECT_FALSE(order->is_list());
  for (int64_t position = 0; position < order->size(); ++position) {
    EXPECT_EQ(order->PositionOf(order->At(position)), position);
  }
  EXPECT_EQ(order->At(5), 64 + 8 + 1);
  EXPECT_EQ(order->PositionOf(63), absl::nullopt);
  EXPECT_EQ(order->PositionOf(96), absl::nullopt);
}

TEST(RankOrder, OfRanks_SparseAndPermuted_MapsBothWays) {
  const auto order = RankOrder::OfRanks({7, 3, 11});
  ASSERT_TRUE(order.ok());
  EXPECT_TRUE((*order)->is_list());
  EXPECT_EQ((*order)->At(1), 3);
  EXPECT_EQ((*order)->PositionOf(11), 2);
  for (GlobalRank stranger : {-1, 0, 8, 12}) EXPECT_EQ((*order)->PositionOf(stranger), absl::nullopt);
}

TEST(RankOrder, OfRanks_NearlyAllRanks_MapsBothWays) {
  const auto order = RankOrder::OfRanks({7, 0, 3, 5, 1});
  ASSERT_TRUE(order.ok());
  for (int64_t position = 0; position < 5; ++position) {
    EXPECT_EQ((*order)->PositionOf((*order)->At(position)), position);
  }
  for (GlobalRank stranger : {-1, 2, 8, 9, 10, 1000}) EXPECT_EQ((*order)->PositionOf(stranger), absl::nullopt);
}

TEST(RankOrder, RepeatedOrNegativeRank_IsRefusedByName) {
  EXPECT_THAT(std::string(RankOrder::OfRanks({4, 5, 4}).status().message()),
              ::testing::HasSubstr("rank 4 is listed twice, at positions 0 and 2"));
  EXPECT_THAT(std::string(RankOrder::OfRanks({4, -5}).status().message()),
              ::testing::HasSubstr("rank -5 at position 1 is negative"));
}

TEST(RankOrder, Empty_HasNoPositions) {
  const auto order = RankOrder::OfRanks({});
  ASSERT_TRUE(order.ok());
  EXPECT_EQ((*order)->size(), 0);
  EXPECT_EQ((*order)->PositionOf(0), absl::nullopt);
}

}  // namespace
}  // namespace muster::mesh
