#include "lib/mesh/deepspeed.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> FamilyNames(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Family& family : mesh.families()) names.emplace_back(family.name());
  return names;
}

DeepSpeedSpec PipeDataModel(int64_t pipe, int64_t data, int64_t model, int64_t ep = 1,
                            ExpertMode mode = ExpertMode::kModelData) {
  DeepSpeedSpec spec;
  spec.axes = {{"pipe", pipe}, {"data", data}, {"model", model}};
  spec.expert_parallel_size = ep;
  spec.expert_mode = mode;
  return spec;
}

TEST(DeepSpeedMesh, Grid_FamiliesInCreationOrder) {
  const auto mesh = *MakeDeepSpeedMesh(PipeDataModel(2, 4, 4), Compat::kCareful, 32);
  EXPECT_EQ(mesh->dialect(), "deepspeed");
  EXPECT_THAT(FamilyNames(*mesh), ElementsAre("ds_model", "data", "pipe", "slice"));
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 32));
  EXPECT_THAT(mesh->Find("data")->GroupOf(9)->group.Members(), ElementsAre(1, 5, 9, 13));
  EXPECT_EQ(mesh->expert(), nullptr);
  const Coordinates at = mesh->DenseCoordinates(10);
  EXPECT_EQ(at[0].axis, "model");
  EXPECT_EQ(at[0].index, 2);
  EXPECT_EQ(at[1].index, 2);
  EXPECT_EQ(at[2].index, 0);
}

TEST(DeepSpeedMesh, Experts_FollowTheGrid) {
  const auto mesh = *MakeDeepSpeedMesh(PipeDataModel(2, 8, 2, 4), Compat::kCareful, 32);
  EXPECT_THAT(FamilyNames(*mesh), ElementsAre("ds_model", "data", "pipe", "slice", "ep", "edp"));
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 32));
  EXPECT_THAT(mesh->Find("ep")->group(0).Members(), ElementsAre(0, 2, 4, 6));
  ASSERT_NE(mesh->expert(), nullptr);
  EXPECT_EQ(mesh->ExpertCoordinates(6)[1].axis, "ep");
  EXPECT_EQ(mesh->ExpertCoordinates(6)[1].index, 3);
}

TEST(DeepSpeedMesh, ExpertsByTensorIndex_AreCreatedStageByStage) {
  const auto mesh = *MakeDeepSpeedMesh(PipeDataModel(2, 8, 2, 4, ExpertMode::kTensor), Compat::kCareful, 32);
  const CreationStep& last = mesh->creation().back();
  EXPECT_EQ(last.rounds, 2);
  EXPECT_EQ(last.families.size(), 2u);
}

TEST(DeepSpeedMesh, NoModelWays_ExpertDataComesFirst) {
  const auto mesh = *MakeDeepSpeedMesh(PipeDataModel(1, 8, 1, 4, ExpertMode::kTensor), Compat::kCareful, 8);
  EXPECT_THAT(FamilyNames(*mesh), ElementsAre("ds_model", "data", "pipe", "slice", "edp", "ep"));
}

TEST(DeepSpeedMesh, NoAxes_PrimeFactorsOfTheWorld) {
  const auto mesh = *MakeDeepSpeedMesh(DeepSpeedSpec(), Compat::kCareful, 12);
  EXPECT_EQ(mesh->dense().size(0), 2);
  EXPECT_EQ(mesh->dense().size(1), 6);
}

TEST(DeepSpeedMesh, OtherAxes_OneFamilyEach) {
  DeepSpeedSpec spec;
  spec.axes = {{"row", 4}, {"col", 2}};
  EXPECT_THAT(FamilyNames(**MakeDeepSpeedMesh(spec, Compat::kCareful, 8)), ElementsAre("row", "col"));
}

TEST(DeepSpeedMesh, ExpertsOverReorderedAxes_CarefulRefuses_UpstreamDealsThem) {
  DeepSpeedSpec spec;
  spec.axes = {{"model", 2}, {"data", 4}, {"pipe", 2}};
  spec.expert_parallel_size = 2;
  const auto careful = MakeDeepSpeedMesh(spec, Compat::kCareful, 16);
  EXPECT_EQ(RuleOf(careful.status()), "experts_need_pipe_data_model");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("axes: model, data, pipe"));
  EXPECT_TRUE(MakeDeepSpeedMesh(spec, Compat::kUpstream, 16).ok());
}

TEST(DeepSpeedMesh, BadSpecs_AreRefused) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct {
    DeepSpeedSpec spec;
    int64_t world;
    std::string rule;
  } cases[] = {
      {PipeDataModel(2, 4, 4), 33, "grid_product_equals_world"},
      {PipeDataModel(2, 4, 4), -32, "grid_product_equals_world"},
      {PipeDataModel(2, 0, 4), 0, "zero_size"},
      {PipeDataModel(kMax, kMax, kMax), kMax, "grid_too_big"},
      {PipeDataModel(2, 4, 4, 3), 32, "ep_divides_dp"},
      {PipeDataModel(2, 4, 4, -1), 32, "degree_out_of_range"},
      {DeepSpeedSpec(), 0, "world_out_of_range"},
      {DeepSpeedSpec(), kMax, "world_out_of_range"},
  };
  for (const auto& test : cases) {
    const auto mesh = MakeDeepSpeedMesh(test.spec, Compat::kCareful, test.world);
    EXPECT_EQ(RuleOf(mesh.status()), test.rule) << mesh.status();
  }
  DeepSpeedSpec other;
  other.axes = {{"row", 4}, {"col", 2}};
  EXPECT_EQ(RuleOf(MakeDeepSpeedMesh(other, Compat::kCareful, 9).status()), "grid_product_equals_world");
}

}  // namespace
}  // namespace muster::mesh
