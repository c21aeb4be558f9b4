#include "lib/mesh/torch.h"

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

std::vector<std::string> FamilyNames(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Family& family : mesh.families()) names.emplace_back(family.name());
  return names;
}

TEST(TorchMesh, HybridShard_DimensionsThenFlattened) {
  const TorchSpec spec = HybridShardSpec({.pp = 2, .dp_replicate = 2, .dp_shard = 2, .cp = 2, .tp = 2});
  const auto mesh = *MakeTorchMesh(spec, Compat::kCareful, 32);
  EXPECT_EQ(mesh->dialect(), "torch");
  EXPECT_THAT(FamilyNames(*mesh), ElementsAre("pp", "dp_replicate", "dp_shard", "cp", "tp", "dp_replicate_dp_shard",
                                              "dp_shard_cp", "dp_replicate_dp_shard_cp"));
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 32));
  EXPECT_THAT(mesh->Find("dp_shard_cp")->group(0).Members(), ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(mesh->expert(), nullptr);
  EXPECT_THAT(mesh->notes(), IsEmpty());
}

TEST(TorchMesh, OlderGroupOrder_ListsOtherwise) {
  TorchSpec spec{
      .dims = {{"dp", 2}, {"pp", 2}, {"cp", 2}}, .ranks = {}, .flattened = {}, .group_order = GroupOrder::kSwapDims};
  const auto older = *MakeTorchMesh(spec, Compat::kUpstream, 8);
  EXPECT_THAT(older->Find("dp")->group(1).Members(), ElementsAre(2, 6));
  spec.group_order = GroupOrder::kComplement;
  const auto newer = *MakeTorchMesh(spec, Compat::kUpstream, 8);
  EXPECT_THAT(newer->Find("dp")->group(1).Members(), ElementsAre(1, 5));
}

TEST(TorchMesh, PartOfTheWorld_OthersHaveNoPlaceAndANoteSaysSo) {
  const TorchSpec spec{.dims = {{"tp", 4}}, .ranks = {}, .flattened = {}};
  const auto mesh = *MakeTorchMesh(spec, Compat::kCareful, 8);
  EXPECT_EQ(mesh->DenseCoordinates(3).size(), 1u);
  EXPECT_EQ(mesh->DenseCoordinates(4).size(), 0u);
  EXPECT_FALSE(mesh->Find("tp")->GroupOf(5).has_value());
  ASSERT_EQ(mesh->notes().size(), 1u);
  EXPECT_THAT(mesh->notes()[0], HasSubstr("4 of 8 workers are outside the mesh"));
  EXPECT_THAT((*MakeTorchMesh(spec, Compat::kUpstream, 8))->notes(), IsEmpty());
}

TEST(TorchMesh, PermutedRanks_AreEachInOneGroup) {
  const TorchSpec spec{
      .dims = {{"tp", 2}, {"dp", 4}}, .ranks = {0, 2, 4, 6, 1, 3, 5, 7}, .flattened = {{{"tp", "dp"}, "all"}}};
  const auto mesh = *MakeTorchMesh(spec, Compat::kCareful, 8);
  for (const Family& family : mesh->families()) EXPECT_TRUE(PartitionsWorld(family, 8));
  EXPECT_THAT(mesh->Find("all")->group(0).Members(), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_EQ(mesh->Find("all")->GroupOf(1)->group_rank, 1);
}

TEST(TorchMesh, UnnamedDimensions_AreNumbered) {
  const TorchSpec spec{.dims = {{"", 3}, {"", 5}}, .ranks = {}, .flattened = {}};
  EXPECT_THAT(FamilyNames(**MakeTorchMesh(spec, Compat::kCareful, 15)), ElementsAre("0", "1"));
}

TEST(TorchMesh, FlattenedTwice_IsOneFamily) {
  const TorchSpec spec{.dims = {{"dp", 2}, {"tp", 2}},
                       .ranks = {},
                       .flattened = {{{"dp", "tp"}, "x"}, {{"dp", "tp"}, "x"}, {{"tp"}, "tp"}}};
  EXPECT_THAT(FamilyNames(**MakeTorchMesh(spec, Compat::kCareful, 4)), ElementsAre("dp", "tp", "x"));
}

TEST(TorchMesh, BadSpecs_AreRefused) {
  struct {
    TorchSpec spec;
    int64_t world;
    std::string rule;
  } cases[] = {
      {{.dims = {{"dp", 2}, {"dp", 2}}, .ranks = {}, .flattened = {}}, 4, "dim_names_unique"},
      {{.dims = {{"dp", 4}}, .ranks = {}, .flattened = {}}, 2, "mesh_not_bigger_than_world"},
      {{.dims = {{"dp", 4}}, .ranks = {}, .flattened = {}}, 0, "world_out_of_range"},
      {{.dims = {{"dp", 4}}, .ranks = {}, .flattened = {}}, -8, "world_out_of_range"},
      {{.dims = {{"dp", 2}, {"", 2}}, .ranks = {}, .flattened = {}}, 4, "axis_names_invalid"},
      {{.dims = {{"dp", 2}}, .ranks = {0, 0}, .flattened = {}}, 4, "ranks_unique"},
      {{.dims = {{"dp", 2}}, .ranks = {0, 4}, .flattened = {}}, 4, "rank_out_of_range"},
      {{.dims = {{"dp", 2}}, .ranks = {0}, .flattened = {}}, 4, "order_size"},
      {{.dims = {{"dp", 2}, {"tp", 2}}, .ranks = {}, .flattened = {{{"tp", "dp"}, ""}}}, 4, "slice_dims_ascending"},
      {{.dims = {{"dp", 2}, {"tp", 2}}, .ranks = {}, .flattened = {{{"dp", "cp"}, ""}}}, 4, "dim_name_unknown"},
      {{.dims = {{"dp", 2}, {"tp", 2}}, .ranks = {}, .flattened = {{{"dp", "tp"}, "tp"}}}, 4, "flat_name_taken"},
      {{.dims = {{"dp", 2}, {"tp", 2}, {"x", 1}}, .ranks = {}, .flattened = {{{"dp", "tp"}, "f"}, {{"tp", "x"}, "f"}}},
       4,
       "flat_name_reused"},
      {{.dims = {{"", 2}, {"", 2}}, .ranks = {}, .flattened = {{{"0", "1"}, "f"}}}, 4, "slice_needs_names"},
      {{.dims = {{"dp", 0}}, .ranks = {}, .flattened = {}}, 4, "zero_size"},
      {{.dims = {{"dp", std::numeric_limits<int64_t>::max()}, {"tp", 3}}, .ranks = {}, .flattened = {}},
       4,
       "grid_too_big"},
  };
  for (const auto& test : cases) {
    const auto mesh = MakeTorchMesh(test.spec, Compat::kCareful, test.world);
    EXPECT_EQ(RuleOf(mesh.status()), test.rule) << mesh.status();
  }
}

}  // namespace
}  // namespace muster::mesh
