#include "lib/mesh/nemo.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> FamilyNames(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Family& family : mesh.families()) names.emplace_back(family.name());
  return names;
}

NemoSpec Spec(std::vector<Axis> axes, std::vector<int64_t> layout = {}) {
  return {.axes = std::move(axes), .layout = std::move(layout), .dispatch = {}};
}

TEST(NemoMesh, Policy_OneFamilyAnAxisThenLanes) {
  const auto mesh =
      *MakeNemoMesh(Spec({{kPipelineParallel, 2}, {kDataParallel, 4}, {kContextParallel, 2}, {kTensorParallel, 4}}),
                    Compat::kCareful, 64);
  EXPECT_EQ(mesh->dialect(), "nemo");
  EXPECT_THAT(FamilyNames(*mesh),
              ElementsAre(kPipelineParallel, kDataParallel, kContextParallel, kTensorParallel, "lane"));
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 64));
  EXPECT_EQ(mesh->Find("lane")->GroupOf(39)->group_index, 0);
  EXPECT_THAT(mesh->Find(kDataParallel)->GroupOf(3)->group.Members(), ElementsAre(3, 11, 19, 27));
}

TEST(NemoMesh, WeightShards_AreLanesOfTheirOwn) {
  const auto mesh = *MakeNemoMesh(Spec({{kPipelineParallel, 1},
                                        {kDataParallel, 2},
                                        {kGtpWeightRemat, 3},
                                        {kContextParallel, 1},
                                        {kTensorParallel, 4}}),
                                  Compat::kCareful, 24);
  EXPECT_EQ(mesh->Find("lane")->count(), 6);
  EXPECT_EQ(mesh->Find("lane")->GroupOf(23)->group_index, 5);  // d 1, g 2: 1 * 3 + 2
}

TEST(NemoMesh, NoDataAxis_HasNoLanes) {
  EXPECT_EQ((*MakeNemoMesh(Spec({{"a", 2}, {"b", 2}}), Compat::kCareful, 4))->Find("lane"), nullptr);
}

TEST(NemoMesh, PermutedLayout_IsKept) {
  const auto mesh = *MakeNemoMesh(Spec({{"a", 2}, {"b", 2}}, {3, 1, 0, 2}), Compat::kCareful, 4);
  EXPECT_THAT(mesh->Find("b")->group(0).Members(), ElementsAre(3, 1));
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 4));
  EXPECT_EQ(mesh->DenseCoordinates(0)[1].index, 1);  // axis a, the slower one
}

TEST(NemoMesh, BadSpecs_AreRefused) {
  EXPECT_EQ(RuleOf(MakeNemoMesh(Spec({{"a", 2}, {"b", 3}}), Compat::kCareful, 8).status()), "layout_covers_world");
  EXPECT_EQ(RuleOf(MakeNemoMesh(Spec({{"a", 2}}, {0, 5}), Compat::kCareful, 2).status()), "layout_covers_world");
  EXPECT_EQ(RuleOf(MakeNemoMesh(Spec({{"a", 2}}, {0, 0}), Compat::kCareful, 2).status()), "ranks_unique");
  EXPECT_EQ(RuleOf(MakeNemoMesh(Spec({{"a", 2}}, {0}), Compat::kCareful, 2).status()), "order_size");
  EXPECT_EQ(RuleOf(MakeNemoMesh(Spec({{"a", 2}, {"a", 2}}), Compat::kCareful, 4).status()), "axis_names_invalid");
  NemoSpec dispatch = Spec({{"a", 2}});
  dispatch.dispatch.sharded = {"z"};
  EXPECT_EQ(RuleOf(MakeNemoMesh(dispatch, Compat::kCareful, 2).status()), "axis_unknown");
}

}  // namespace
}  // namespace muster::mesh
