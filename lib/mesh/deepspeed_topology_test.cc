#include "lib/mesh/deepspeed_topology.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kDefaultOmission[] = {"data", "pipe"};
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

DeepSpeedTopology Pipe2Model4Data4() { return *DeepSpeedTopology::PipeModelData(2, 4, 4); }

TEST(DeepSpeedTopology, LastAxisIsFastest) {
  const DeepSpeedTopology topology = Pipe2Model4Data4();
  EXPECT_THAT(*topology.Coordinates(10), ElementsAre(0, 2, 2));
  EXPECT_THAT(*topology.Coordinates(31), ElementsAre(1, 3, 3));
  EXPECT_EQ(*topology.RankAt({{"pipe", 1}, {"data", 3}, {"model", 2}}), 16 + 4 * 3 + 2);
}

TEST(DeepSpeedTopology, RanksAndCoordinatesAreInverse) {
  const DeepSpeedTopology topology = *DeepSpeedTopology::Create({"a", "b", "c"}, {3, 5, 2}, Compat::kCareful);
  for (GlobalRank rank = 0; rank < 30; ++rank) {
    const std::vector<int64_t> at = *topology.Coordinates(rank);
    EXPECT_EQ(*topology.RankAt({{"a", at[0]}, {"b", at[1]}, {"c", at[2]}}), rank);
  }
}

TEST(DeepSpeedTopology, RankText_LeavesOutDataAndPipe) {
  const DeepSpeedTopology topology = Pipe2Model4Data4();
  EXPECT_EQ(*topology.RankText(10, kDefaultOmission), "model_02");
  EXPECT_EQ(*topology.RankText(10, {}), "pipe_00-data_02-model_02");
  EXPECT_EQ(*DeepSpeedTopology::PipeData(2, 2)->RankText(3, kDefaultOmission), "");
  EXPECT_EQ(*DeepSpeedTopology::Create({"x"}, {200}, Compat::kCareful)->RankText(123, {}), "x_123");
}

TEST(DeepSpeedTopology, CommLists_VaryOneAxis) {
  const auto groups = GroupsOf(*Pipe2Model4Data4().CommLists("data"));
  EXPECT_EQ(groups.size(), 8u);
  EXPECT_THAT(groups[0], ElementsAre(0, 4, 8, 12));
  EXPECT_THAT(groups[1], ElementsAre(1, 5, 9, 13));
  EXPECT_THAT(groups[4], ElementsAre(16, 20, 24, 28));
}

TEST(DeepSpeedTopology, UnknownAxis_HasNoListsAndSizeZero) {
  EXPECT_FALSE(Pipe2Model4Data4().CommLists("expert").has_value());
  EXPECT_EQ(Pipe2Model4Data4().Dim("expert"), 0);
}

TEST(DeepSpeedTopology, EveryFamilyPartitionsTheWorld) {
  const DeepSpeedTopology topology = *DeepSpeedTopology::Create({"a", "b", "c", "d"}, {2, 1, 3, 4}, Compat::kCareful);
  for (const std::string& axis : topology.axes()) {
    EXPECT_TRUE(PartitionsWorld(*topology.CommLists(axis), 24));
    EXPECT_TRUE(PartitionsWorld(*topology.AxisLists(axis), 24));
  }
}

TEST(DeepSpeedTopology, FilterMatch_FixesAxes) {
  const DeepSpeedTopology topology = Pipe2Model4Data4();
  EXPECT_THAT((**topology.FilterMatch({{"pipe", 1}, {"data", 3}})).Members(), ElementsAre(28, 29, 30, 31));
  EXPECT_EQ((**topology.FilterMatch({})).size(), 32);
  EXPECT_FALSE(topology.FilterMatch({{"pipe", 7}})->has_value());
  EXPECT_FALSE(topology.FilterMatch({{"pipe", -1}})->has_value());
}

TEST(DeepSpeedTopology, Default_DealsPrimeFactors) {
  struct {
    int64_t world, pipe, data;
  } cases[] = {{1, 1, 1}, {2, 2, 1}, {6, 2, 3}, {8, 4, 2}, {12, 6, 2}, {30, 10, 3}, {1021, 1021, 1}};
  for (const auto& test : cases) {
    const DeepSpeedTopology topology = *DeepSpeedTopology::Default(test.world);
    EXPECT_EQ(topology.Dim("pipe"), test.pipe) << test.world;
    EXPECT_EQ(topology.Dim("data"), test.data) << test.world;
  }
}

TEST(DeepSpeedTopology, DimsLongerThanAxes_CarefulRefuses_UpstreamKeepsTheLastRank) {
  const auto careful = DeepSpeedTopology::Create({"x", "y"}, {2, 3, 4}, Compat::kCareful);
  EXPECT_EQ(RuleOf(careful.status()), "axes_dims_mismatch");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("3 sizes for 2 axes"));
  // Each (x, y) is written four times; the last of them stays.
  const DeepSpeedTopology upstream = *DeepSpeedTopology::Create({"x", "y"}, {2, 3, 4}, Compat::kUpstream);
  EXPECT_EQ(upstream.world(), 6);
  EXPECT_EQ(*upstream.RankAt({{"x", 0}, {"y", 0}}), 3);
  EXPECT_EQ(*upstream.RankAt({{"x", 1}, {"y", 2}}), 23);
  EXPECT_THAT(*upstream.Coordinates(7), ElementsAre(0, 1));
  EXPECT_EQ(RuleOf(upstream.Coordinates(6).status()), "rank_out_of_range");
  EXPECT_THAT(GroupsOf(*upstream.CommLists("x"))[1], ElementsAre(7, 19));
}

TEST(DeepSpeedTopology, BadAxes_AreRefused) {
  struct {
    std::vector<std::string> axes;
    std::vector<int64_t> dims;
    std::string rule, message;
  } cases[] = {
      {{"x", "y"}, {2}, "axes_dims_mismatch", "1 sizes for 2 axes"},
      {{"1x", "y"}, {2, 2}, "axis_names_invalid", "axes[0]: '1x'"},
      {{"x", "x"}, {2, 2}, "axis_names_invalid", "axes[1]: 'x' is already axes[0]"},
      {{"class"}, {2}, "axis_names_invalid", "'class'"},
      {{"_x"}, {2}, "axis_names_invalid", "'_x'"},
      {{""}, {2}, "axis_names_invalid", "axes[0]: ''"},
      {{"a-b"}, {2}, "axis_names_invalid", "'a-b'"},
      {{"x"}, {0}, "zero_size", "x: 0"},
      {{"x", "y"}, {2, -3}, "zero_size", "y: -3"},
      {{"x", "y"}, {kMax, 2}, "grid_too_big", "2^63-1"},
  };
  for (const auto& test : cases) {
    for (Compat compat : {Compat::kCareful, Compat::kUpstream}) {
      const auto topology = DeepSpeedTopology::Create(test.axes, test.dims, compat);
      EXPECT_EQ(RuleOf(topology.status()), test.rule) << test.message;
      EXPECT_THAT(std::string(topology.status().message()), HasSubstr(test.message));
    }
  }
  EXPECT_EQ(RuleOf(DeepSpeedTopology::Create({"x"}, {2, kMax, kMax}, Compat::kUpstream).status()), "grid_too_big");
  EXPECT_EQ(RuleOf(DeepSpeedTopology::Create({"x"}, {4, kMax / 2}, Compat::kUpstream).status()), "grid_too_big");
  EXPECT_EQ(RuleOf(DeepSpeedTopology::Create({"x"}, {4, 0}, Compat::kUpstream).status()), "zero_size");
}

TEST(DeepSpeedTopology, BadQuestions_AreRefused) {
  const DeepSpeedTopology topology = *DeepSpeedTopology::Create({"x", "y"}, {2, 3}, Compat::kCareful);
  EXPECT_EQ(RuleOf(topology.RankAt({{"x", 0}}).status()), "get_rank_needs_all_axes");
  EXPECT_EQ(RuleOf(topology.RankAt({{"x", 2}, {"y", 0}}).status()), "coordinate_out_of_range");
  EXPECT_EQ(RuleOf(topology.RankAt({{"x", 0}, {"y", -1}}).status()), "coordinate_out_of_range");
  EXPECT_EQ(RuleOf(topology.RankAt({{"x", 0}, {"z", 0}}).status()), "axis_unknown");
  EXPECT_EQ(RuleOf(topology.Coordinates(6).status()), "rank_out_of_range");
  EXPECT_EQ(RuleOf(topology.Coordinates(-1).status()), "rank_out_of_range");
  EXPECT_EQ(RuleOf(topology.RankText(kMax, {}).status()), "rank_out_of_range");
  EXPECT_EQ(RuleOf(topology.AxisLists("z").status()), "axis_unknown");
  EXPECT_EQ(RuleOf(topology.FilterMatch({{"z", 0}}).status()), "axis_unknown");
  for (int64_t world : {int64_t{0}, int64_t{-5}, kMax}) {
    EXPECT_EQ(RuleOf(DeepSpeedTopology::Default(world).status()), "world_out_of_range") << world;
  }
}

TEST(DeepSpeedTopology, LargestWorld_AnswersWithoutLists) {
  const DeepSpeedTopology topology =
      *DeepSpeedTopology::PipeModelData(int64_t{1} << 20, int64_t{1} << 20, int64_t{1} << 20);
  const GlobalRank last = topology.world() - 1;
  EXPECT_THAT(*topology.Coordinates(last), ElementsAre((1 << 20) - 1, (1 << 20) - 1, (1 << 20) - 1));
  EXPECT_EQ(topology.CommLists("data")->GroupOf(last)->position, (1 << 20) - 1);
}

}  // namespace
}  // namespace muster::mesh
