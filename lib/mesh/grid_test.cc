#include "lib/mesh/grid.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Grid Seed64() { return *Grid::Create({{"tp", 4}, {"cp", 2}, {"ep", 1}, {"dp", 4}, {"pp", 2}}); }

std::vector<int64_t> CoordinatesOf(const Grid& grid, GlobalRank rank) {
  std::vector<int64_t> coordinates;
  for (size_t i = 0; i < grid.axes().size(); ++i) coordinates.push_back(grid.Coordinate(rank, i));
  return coordinates;
}

TEST(Grid, Seed64_StridesAndCoordinatesOfRank27) {
  const Grid grid = Seed64();
  EXPECT_EQ(grid.world(), 64);
  EXPECT_EQ(grid.stride(*grid.Find("pp")), 32);
  EXPECT_THAT(CoordinatesOf(grid, 27), ElementsAre(3, 0, 0, 3, 0));
  EXPECT_EQ(grid.RankAt({3, 0, 0, 3, 0}), 27);
}

TEST(Grid, Seed64_GroupsOfRank3) {
  const Grid grid = Seed64();
  EXPECT_THAT(grid.GroupOf(3, grid.Select({"tp"})).Members(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(grid.GroupOf(3, grid.Select({"cp"})).Members(), ElementsAre(3, 7));
  EXPECT_THAT(grid.GroupOf(3, grid.Select({"dp"})).Members(), ElementsAre(3, 11, 19, 27));
  EXPECT_THAT(grid.GroupOf(3, grid.Select({"pp"})).Members(), ElementsAre(3, 35));
  EXPECT_EQ(grid.GroupOf(53, grid.Select({"dp", "cp"})), (Group{33, {{4, 2}, {8, 4}}}));
}

TEST(Grid, AnyGrid_CoordinatesAndRanksAreABijection) {
  const Grid grids[] = {Seed64(), *Grid::Create({{"a", 3}, {"b", 5}, {"c", 2}}, 100), *Grid::Create({}),
                        *Grid::Create({{"a", 2}, {"b", 2}}, 0, *RankOrder::OfRanks({5, 1, 9, 0}))};
  for (const Grid& grid : grids) {
    std::set<std::vector<int64_t>> seen;
    for (int64_t position = 0; position < grid.world(); ++position) {
      const GlobalRank rank = grid.order() ? grid.order()->At(position) : grid.offset() + position;
      const std::vector<int64_t> coordinates = CoordinatesOf(grid, rank);
      EXPECT_TRUE(seen.insert(coordinates).second);
      EXPECT_EQ(grid.RankAt(coordinates), rank);
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), grid.world());
  }
}

TEST(Grid, RankOutside_IsNotContained) {
  const Grid offset = *Grid::Create({{"a", 4}}, 64);
  EXPECT_FALSE(offset.Contains(63));
  EXPECT_TRUE(offset.Contains(64));
  EXPECT_FALSE(offset.Contains(68));
  EXPECT_FALSE(offset.Contains(-1));
  EXPECT_FALSE(Grid::Create({{"a", 2}}, 0, *RankOrder::OfRanks({5, 1}))->Contains(0));
}

TEST(Grid, LargestWorldThereIs_StillExact) {
  const Grid grid = *Grid::Create({{"a", int64_t{1} << 31}, {"b", int64_t{1} << 31}});
  const GlobalRank last = grid.world() - 1;
  EXPECT_THAT(CoordinatesOf(grid, last), ElementsAre((int64_t{1} << 31) - 1, (int64_t{1} << 31) - 1));
  EXPECT_EQ(grid.GroupOf(last, grid.Select({"b"})).base, (int64_t{1} << 31) - 1);
  EXPECT_TRUE(Grid::Create({{"a", kMax}}).ok());
}

TEST(Grid, HostileSizes_AreRefusedByRule) {
  struct {
    std::vector<Axis> axes;
    GlobalRank offset;
    std::string rule;
    std::string message;
  } cases[] = {
      {{{"tp", 0}}, 0, "zero_size", "tp: 0 is not at least 1"},
      {{{"tp", 2}, {"pp", -3}}, 0, "zero_size", "pp: -3"},
      {{{"tp", std::numeric_limits<int64_t>::min()}}, 0, "zero_size", "tp: -9223372036854775808"},
      {{{"tp", kMax}, {"pp", 2}}, 0, "grid_too_big", "pp: 2 times the 9223372036854775807 ranks"},
      {{{"a", int64_t{1} << 32}, {"b", int64_t{1} << 31}}, 0, "grid_too_big", "2147483648 times"},
      {{{"a", kMax - 10}}, 11, "grid_too_big", "counted from rank 11"},
      {{{"a", 1}}, -1, "rank_offset_negative", "rank_offset: -1"},
      {{{"a", 1}, {"", 1}}, 0, "axis_names_invalid", "axes[1]: has no name"},
      {{{"a", 1}, {"b", 1}, {"a", 1}}, 0, "axis_names_invalid", "'a' is already axes[0]"},
  };
  for (const auto& test : cases) {
    const auto grid = Grid::Create(test.axes, test.offset);
    EXPECT_EQ(RuleOf(grid.status()), test.rule);
    EXPECT_THAT(std::string(grid.status().message()), HasSubstr(test.message));
  }
}

TEST(Grid, TooManyAxes_IsRefused) {
  std::vector<Axis> axes;
  for (size_t i = 0; i <= kMaxAxes; ++i) axes.push_back({"a" + std::to_string(i), 1});
  EXPECT_EQ(RuleOf(Grid::Create(axes).status()), "too_many_axes");
  axes.pop_back();
  EXPECT_TRUE(Grid::Create(axes).ok());
}

TEST(Grid, OrderOfAnotherSize_IsRefused) {
  EXPECT_EQ(RuleOf(Grid::Create({{"a", 3}}, 0, *RankOrder::OfRanks({0, 1})).status()), "order_size");
  EXPECT_EQ(RuleOf(Grid::Create({{"a", 2}}, 1, *RankOrder::OfRanks({0, 1})).status()), "order_size");
}

TEST(Grid, UnknownAxis_SelectsNothing) {
  const Grid grid = Seed64();
  EXPECT_EQ(grid.Find("tensor"), absl::nullopt);
  EXPECT_TRUE(grid.Select({"tensor"}).none());
  EXPECT_EQ(grid.GroupOf(9, AxisSet()), (Group{.base = 9, .digits = {}}));
}

}  // namespace
}  // namespace muster::mesh
