#include "lib/mesh/deepspeed_grid.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DeepSpeedGrid, Pipe2Model4Data4_HasTheDocumentedGroups) {
  const DeepSpeedTopology topology = *DeepSpeedTopology::PipeModelData(2, 4, 4);
  const DeepSpeedGrid grid = *MakeDeepSpeedGrid(topology, 32);
  EXPECT_THAT(GroupsOf(grid.ds_model)[0], ElementsAre(0, 1, 2, 3, 16, 17, 18, 19));
  EXPECT_THAT(GroupsOf(grid.slice)[1], ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(grid.p2p_pairs.group(3).Members(), ElementsAre(3, 19));
  EXPECT_THAT(grid.p2p_pairs.group(31).Members(), ElementsAre(31, 15));
  EXPECT_EQ(grid.new_group_calls(), 36);
  EXPECT_EQ(grid.ds_model.GroupOf(31)->group_rank, 7);
  EXPECT_THAT(StagesOf(topology, 31).Members(), ElementsAre(15, 31));
}

TEST(DeepSpeedGrid, NoModelAxis_SlicesAreSingleRanks) {
  const DeepSpeedGrid grid = *MakeDeepSpeedGrid(*DeepSpeedTopology::PipeData(2, 3), 6);
  EXPECT_EQ(grid.model, 1);
  EXPECT_THAT(GroupsOf(grid.slice), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3),
                                                ElementsAre(4), ElementsAre(5)));
}

TEST(DeepSpeedGrid, EveryFamilyPartitionsTheWorld) {
  for (const auto& [pp, mp, dp] :
       {std::tuple(4, 1, 2), std::tuple(1, 8, 4), std::tuple(3, 2, 5), std::tuple(1, 1, 1)}) {
    const int64_t world = pp * mp * dp;
    const DeepSpeedGrid grid = *MakeDeepSpeedGrid(*DeepSpeedTopology::PipeModelData(pp, mp, dp), world);
    for (const Family* family : {&grid.ds_model, &grid.data_groups, &grid.pipe_groups, &grid.slice}) {
      EXPECT_TRUE(PartitionsWorld(*family, world));
    }
    // Each rank begins one pair and ends one.
    std::vector<int> begun(world), ended(world);
    for (const auto& pair : GroupsOf(grid.p2p_pairs)) ++begun[pair.at(0)], ++ended[pair.at(1)];
    EXPECT_THAT(begun, ::testing::Each(1));
    EXPECT_THAT(ended, ::testing::Each(1));
  }
}

TEST(DeepSpeedGrid, AxesInAnotherOrder_FollowTheirNames) {
  const DeepSpeedTopology topology = *DeepSpeedTopology::Create({"model", "data", "pipe"}, {2, 3, 4}, Compat::kCareful);
  const DeepSpeedGrid grid = *MakeDeepSpeedGrid(topology, 24);
  EXPECT_THAT(grid.pipe_groups.group(0).Members(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(grid.slice.group(0).Members(), ElementsAre(0, 12));
  EXPECT_THAT(grid.p2p_pairs.group(3).Members(), ElementsAre(3, 0));
}

TEST(DeepSpeedGrid, WrongWorldOrAxes_AreRefused) {
  const auto wrong = MakeDeepSpeedGrid(*DeepSpeedTopology::PipeData(2, 3), 8);
  EXPECT_EQ(RuleOf(wrong.status()), "grid_product_equals_world");
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("pipe 2 x data 3 make 6 ranks for a world of 8"));
  const DeepSpeedTopology other = *DeepSpeedTopology::Create({"x", "data"}, {2, 3}, Compat::kCareful);
  EXPECT_EQ(RuleOf(MakeDeepSpeedGrid(other, 6).status()), "axis_unknown");
}

}  // namespace
}  // namespace muster::mesh
