#include "lib/mesh/rank_array.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

NestedRanks Number(double number) { return {.is_list = false, .number = number, .entries = {}}; }
NestedRanks List(std::vector<NestedRanks> entries) {
  return {.is_list = true, .number = 0, .entries = std::move(entries)};
}

TEST(RankArray, NestedLists_AreRowMajor) {
  const RankArray array = *ArrayOf(List({List({Number(3), Number(1)}), List({Number(0), Number(2)})}));
  EXPECT_THAT(array.shape, ElementsAre(2, 2));
  EXPECT_THAT(array.ranks, ElementsAre(3, 1, 0, 2));
}

TEST(RankArray, NumberAlone_HasNoDimensions) {
  EXPECT_THAT(ArrayOf(Number(7))->shape, IsEmpty());
  EXPECT_THAT(ArrayOf(Number(7))->ranks, ElementsAre(7));
}

TEST(RankArray, WholeFloats_AreAccepted) {
  EXPECT_THAT(ArrayOf(List({Number(1.0), Number(2.0)}))->ranks, ElementsAre(1, 2));
}

TEST(RankArray, Ragged_IsRefused) {
  const std::vector<NestedRanks> cases = {
      List({List({Number(0), Number(1)}), List({Number(2)})}),
      List({List({Number(0)}), Number(1)}),
      List({Number(0), List({Number(1)})}),
      List({List({}), List({Number(1)})}),
      List({List({Number(0)}), List({List({Number(1)})})}),
      List({List({Number(0)}), List({})}),
  };
  for (const NestedRanks& nested : cases) EXPECT_EQ(RuleOf(ArrayOf(nested).status()), "layout_rectangular");
}

TEST(RankArray, NoRank_IsRefused) {
  for (double number : {0.5, -1.0, 1e300, std::nan(""), std::numeric_limits<double>::infinity(), 9007199254740994.0}) {
    EXPECT_EQ(RuleOf(ArrayOf(List({Number(0), Number(number)})).status()), "integer_ranks") << number;
  }
}

TEST(RankArray, NestedTooDeep_IsRefused) {
  NestedRanks nested = Number(0);
  for (int depth = 0; depth < 40; ++depth) nested = List({nested});
  EXPECT_EQ(RuleOf(ArrayOf(nested).status()), "layout_rectangular");
}

}  // namespace
}  // namespace muster::mesh
