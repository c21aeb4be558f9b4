#include "lib/mesh/deepspeed_experts.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

ExpertRequest Of(int64_t world, int64_t tp, int64_t ep, int64_t pp, ExpertMode mode, bool data_first = false) {
  return {.world = world, .tp = tp, .ep = ep, .pp = pp, .mode = mode, .data_before_expert = data_first};
}

TEST(ExpertFamilies, ModelData_BlocksOfEachTensorIndexsDataRanks) {
  const auto families = *MakeExpertFamilies(Of(16, 2, 4, 1, ExpertMode::kModelData), Compat::kCareful);
  EXPECT_THAT(GroupsOf(families.ep), ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(8, 10, 12, 14),
                                                 ElementsAre(1, 3, 5, 7), ElementsAre(9, 11, 13, 15)));
  EXPECT_THAT(GroupsOf(families.edp)[1], ElementsAre(2, 10));
  EXPECT_EQ(families.creation, ExpertCreation::kExpertThenData);
}

TEST(ExpertFamilies, ModelDataDataFirst_DealsByStride) {
  const auto families = *MakeExpertFamilies(Of(16, 2, 4, 1, ExpertMode::kModelData, true), Compat::kCareful);
  EXPECT_THAT(GroupsOf(families.ep)[0], ElementsAre(0, 4, 8, 12));
  EXPECT_THAT(GroupsOf(families.ep)[1], ElementsAre(2, 6, 10, 14));
  EXPECT_THAT(GroupsOf(families.edp)[0], ElementsAre(0, 2));
  EXPECT_THAT(GroupsOf(families.edp)[1], ElementsAre(4, 6));
}

TEST(ExpertFamilies, NoModelDegree_ConsecutiveOrDataFirst) {
  const auto families = *MakeExpertFamilies(Of(16, 1, 2, 1, ExpertMode::kTensor), Compat::kCareful);
  EXPECT_THAT(GroupsOf(families.ep)[1], ElementsAre(2, 3));
  EXPECT_THAT(GroupsOf(families.edp)[0], ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_EQ(families.creation, ExpertCreation::kDataThenExpert);
  const auto swapped = *MakeExpertFamilies(Of(16, 1, 2, 1, ExpertMode::kTensor, true), Compat::kCareful);
  EXPECT_THAT(GroupsOf(swapped.ep)[1], ElementsAre(1, 9));
  EXPECT_THAT(GroupsOf(swapped.edp)[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ExpertFamilies, TensorMode_TakesTensorIndicesFirst) {
  const auto families = *MakeExpertFamilies(Of(16, 2, 4, 1, ExpertMode::kTensor), Compat::kCareful);
  EXPECT_THAT(GroupsOf(families.ep)[0], ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(GroupsOf(families.edp)[0], ElementsAre(0, 8, 1, 9));
  EXPECT_EQ(families.edp.GroupOf(1)->position, 2);
  EXPECT_EQ(families.edp.GroupOf(1)->group_rank, 1);
  EXPECT_EQ(families.creation, ExpertCreation::kPerStageExpertThenData);
}

TEST(ExpertFamilies, SequenceMode_IsConsecutive) {
  const auto families = *MakeExpertFamilies(Of(16, 2, 4, 1, ExpertMode::kSequence), Compat::kCareful);
  EXPECT_THAT(GroupsOf(families.ep)[0], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(GroupsOf(families.edp)[0], ElementsAre(0, 4, 8, 12));
}

TEST(ExpertFamilies, TensorModeBlockCrossesTensorIndices_CarefulRefuses_UpstreamCuts) {
  // Stage of 12 ranks, 2 tensor indices of 6: blocks of 4 of 0,2,4,6,8,10,1,3,...
  const ExpertRequest request = Of(12, 2, 4, 1, ExpertMode::kTensor);
  const auto careful = MakeExpertFamilies(request, Compat::kCareful);
  EXPECT_EQ(RuleOf(careful.status()), "ep_divides_dp");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("expert_parallel_size: 4 does not divide the 6"));
  const auto upstream = *MakeExpertFamilies(request, Compat::kUpstream);
  EXPECT_THAT(GroupsOf(upstream.ep),
              ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(8, 10, 1, 3), ElementsAre(5, 7, 9, 11)));
  EXPECT_THAT(GroupsOf(upstream.edp)[0], ElementsAre(0, 8, 5));
  EXPECT_TRUE(PartitionsWorld(upstream.ep, 12));
  EXPECT_TRUE(PartitionsWorld(upstream.edp, 12));
}

TEST(ExpertFamilies, TensorWaysDoNotDivideTheStage_CarefulRefuses_UpstreamLeavesRanksOut) {
  // Stages of 8 with 3 tensor ways: 2 ranks an index are listed, 0,3,1,4,2,5, and of these one block of 4.
  const ExpertRequest request = Of(16, 3, 4, 2, ExpertMode::kTensor);
  EXPECT_EQ(RuleOf(MakeExpertFamilies(request, Compat::kCareful).status()), "tp_pp_divides_world");
  const auto upstream = *MakeExpertFamilies(request, Compat::kUpstream);
  EXPECT_THAT(GroupsOf(upstream.ep), ElementsAre(ElementsAre(0, 3, 1, 4), ElementsAre(8, 11, 9, 12)));
  EXPECT_THAT(GroupsOf(upstream.edp)[1], ElementsAre(3));
  EXPECT_TRUE(Partitions(upstream.ep, {0, 3, 1, 4, 8, 11, 9, 12}));
  EXPECT_TRUE(upstream.grid.axes().empty());
}

TEST(ExpertFamilies, AllDegrees_PartitionTheWorldAndAgreeWithTheGrid) {
  for (int64_t tp : {1, 2, 4}) {
    for (int64_t pp : {1, 2, 3}) {
      for (int64_t dp : {1, 2, 6}) {
        for (int64_t ep : {1, 2, 3, 6}) {
          for (ExpertMode mode : {ExpertMode::kModelData, ExpertMode::kTensor, ExpertMode::kSequence}) {
            for (bool data_first : {false, true}) {
              const int64_t world = tp * pp * dp;
              const auto families = MakeExpertFamilies(Of(world, tp, ep, pp, mode, data_first), Compat::kCareful);
              if (!families.ok()) {
                EXPECT_NE(RuleOf(families.status()), "") << families.status();
                continue;
              }
              EXPECT_TRUE(PartitionsWorld(families->ep, world));
              EXPECT_TRUE(PartitionsWorld(families->edp, world));
              ASSERT_EQ(families->grid.world(), world);
              const size_t axis = *families->grid.Find("ep");
              for (GlobalRank rank = 0; rank < world; ++rank) {
                EXPECT_EQ(families->grid.Coordinate(rank, axis), families->ep.GroupOf(rank)->position);
              }
            }
          }
        }
      }
    }
  }
}

TEST(ExpertFamilies, BadDegrees_AreRefused) {
  struct {
    ExpertRequest request;
    std::string rule, message;
  } cases[] = {
      {Of(16, 3, 2, 1, ExpertMode::kModelData), "tp_pp_divides_world", "16 is not divisible by model 3 times pipe 1"},
      {Of(16, 2, 3, 1, ExpertMode::kModelData), "ep_divides_dp", "3 does not divide the 8"},
      {Of(16, 1, 3, 1, ExpertMode::kTensor), "ep_divides_stage", "3 does not divide the 16"},
      {Of(16, 2, 4, 1, ExpertMode::kTensor, true), "data_before_expert_needs_mp1", "model 2"},
      {Of(16, 2, 4, 3, ExpertMode::kTensor), "tp_pp_divides_world", "3 does not divide the 16"},
      {Of(0, 1, 1, 1, ExpertMode::kModelData), "degree_out_of_range", "world: 0"},
      {Of(16, 0, 1, 1, ExpertMode::kModelData), "degree_out_of_range", "model: 0"},
      {Of(16, 1, -1, 1, ExpertMode::kTensor), "degree_out_of_range", "expert_parallel_size: -1"},
      {Of(16, 1, 1, 0, ExpertMode::kTensor), "degree_out_of_range", "pipe: 0"},
      {Of(16, kMax, 1, 16, ExpertMode::kModelData), "tp_pp_divides_world", ""},
      {Of(16, kMax, kMax, 1, ExpertMode::kTensor), "ep_divides_stage", ""},
      {Of(16, kMax, 2, 1, ExpertMode::kTensor), "tp_pp_divides_world", ""},
  };
  for (const auto& test : cases) {
    const auto families = MakeExpertFamilies(test.request, Compat::kCareful);
    EXPECT_EQ(RuleOf(families.status()), test.rule) << test.message;
    EXPECT_THAT(std::string(families.status().message()), HasSubstr(test.message));
  }
  EXPECT_EQ(RuleOf(MakeExpertFamilies(Of(16, kMax, 2, 1, ExpertMode::kTensor), Compat::kUpstream).status()),
            "ep_divides_stage");
}

TEST(TensorDataFamilies, DataGroupsFirst) {
  const auto families = *MakeTensorDataFamilies(8, 2, -1);
  EXPECT_THAT(GroupsOf(families.dp), ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(1, 3, 5, 7)));
  EXPECT_THAT(GroupsOf(families.tp)[1], ElementsAre(2, 3));
  EXPECT_TRUE(PartitionsWorld(families.dp, 8));
  EXPECT_TRUE(PartitionsWorld(families.tp, 8));
}

TEST(TensorDataFamilies, BadDegrees_AreRefused) {
  EXPECT_EQ(RuleOf(MakeTensorDataFamilies(8, 2, 3).status()), "tp_times_dp_equals_world");
  EXPECT_EQ(RuleOf(MakeTensorDataFamilies(8, 3, -1).status()), "tp_divides_world");
  EXPECT_EQ(RuleOf(MakeTensorDataFamilies(8, 0, -1).status()), "degree_out_of_range");
  EXPECT_EQ(RuleOf(MakeTensorDataFamilies(8, kMax, kMax).status()), "tp_divides_world");
}

}  // namespace
}  // namespace muster::mesh
