#include "lib/mesh/device_mesh.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

DeviceMesh MeshOf(const std::vector<int64_t>& shape, const Names& names) {
  return *DeviceMesh::Init("cuda", shape, names);
}

TEST(DeviceMesh, LastDimensionIsFastest) {
  const DeviceMesh mesh = MeshOf({2, 4, 2, 4}, {"pp", "dp_shard", "cp", "tp"});
  EXPECT_THAT(*mesh.Coordinate(21), ElementsAre(0, 2, 1, 1));
  EXPECT_EQ(mesh.stride(0), 32);
  EXPECT_EQ(mesh.stride(1), 8);
  EXPECT_EQ(mesh.stride(3), 1);
}

TEST(DeviceMesh, TwoGroupOrders_SameMembers) {
  const DeviceMesh mesh = MeshOf({2, 2, 2}, {"dp", "pp", "cp"});
  EXPECT_THAT(GroupsOf(mesh.Along(0, GroupOrder::kComplement)),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(GroupsOf(mesh.Along(0, GroupOrder::kSwapDims)),
              ElementsAre(ElementsAre(0, 4), ElementsAre(2, 6), ElementsAre(1, 5), ElementsAre(3, 7)));
}

TEST(DeviceMesh, EveryDimensionPartitionsTheMesh) {
  const DeviceMesh mesh = MeshOf({2, 1, 3, 4}, {});
  for (size_t dim = 0; dim < mesh.ndim(); ++dim) {
    EXPECT_TRUE(PartitionsWorld(mesh.Along(dim, GroupOrder::kComplement), 24));
    EXPECT_TRUE(PartitionsWorld(mesh.Along(dim, GroupOrder::kSwapDims), 24));
  }
}

TEST(DeviceMesh, PermutedRanks_KeepTheirOrder) {
  const DeviceMesh mesh = *DeviceMesh::OfRanks({{2, 4}, {0, 2, 4, 6, 1, 3, 5, 7}}, {"tp", "dp"});
  EXPECT_THAT(GroupsOf(mesh.Along(0, GroupOrder::kComplement))[1], ElementsAre(2, 3));
  EXPECT_THAT(GroupsOf(mesh.Along(1, GroupOrder::kComplement))[1], ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(*mesh.Coordinate(7), ElementsAre(1, 3));
  EXPECT_TRUE(PartitionsWorld(mesh.Along(0, GroupOrder::kSwapDims), 8));
}

TEST(DeviceMesh, SparseRanks_OthersAreOutside) {
  const DeviceMesh mesh = *DeviceMesh::OfRanks({{2, 2}, {4, 5, 6, 7}}, {"dp", "tp"}, 8);
  EXPECT_THAT(*mesh.Coordinate(6), ElementsAre(1, 0));
  EXPECT_FALSE(mesh.Coordinate(0).has_value());
  EXPECT_FALSE(mesh.Along(0, GroupOrder::kComplement).GroupOf(3).has_value());
  EXPECT_TRUE(Partitions(mesh.Along(0, GroupOrder::kComplement), {4, 5, 6, 7}));
  const DeviceMesh part = *DeviceMesh::Init("cpu", {4}, {"tp"}, 8);
  EXPECT_FALSE(part.Coordinate(4).has_value());
  EXPECT_FALSE(part.Coordinate(-1).has_value());
}

TEST(DeviceMesh, Slice_KeepsTheMeshsOrder) {
  const DeviceMesh mesh = MeshOf({2, 2, 2}, {"dp", "pp", "cp"});
  EXPECT_THAT(GroupsOf(*mesh.Slice(Names{"dp", "cp"})), ElementsAre(ElementsAre(0, 1, 4, 5), ElementsAre(2, 3, 6, 7)));
  EXPECT_EQ(RuleOf(mesh.Slice(Names{"cp", "dp"}).status()), "slice_dims_ascending");
  EXPECT_EQ(RuleOf(mesh.Slice(Names{"dp", "dp"}).status()), "slice_dims_ascending");
  EXPECT_EQ(RuleOf(mesh.Slice(Names{"dp", "tp"}).status()), "dim_name_unknown");
  EXPECT_TRUE(mesh.IsWholeMesh(Names{"dp", "pp", "cp"}));
  EXPECT_EQ(RuleOf(MeshOf({2, 2}, {}).Slice(Names{"0"}).status()), "slice_needs_names");
}

TEST(DeviceMesh, HybridShard_HasTheDocumentedGroups) {
  DeviceMesh mesh = MeshOf({2, 2, 2, 2, 2}, {"pp", "dp_replicate", "dp_shard", "cp", "tp"});
  EXPECT_THAT(mesh.GroupsOf(absl::string_view("dp_shard"), GroupOrder::kComplement)->group(0).Members(),
              ElementsAre(0, 4));
  EXPECT_THAT(mesh.Along(1, GroupOrder::kComplement).group(0).Members(), ElementsAre(0, 8));
  const Family flat = *mesh.Flatten(Names{"dp_shard", "cp"});
  EXPECT_EQ(flat.name(), "dp_shard_cp");
  EXPECT_THAT(flat.group(0).Members(), ElementsAre(0, 2, 4, 6));
  // From now on the flattened dimension has a name like any other.
  EXPECT_THAT(mesh.Slice(Names{"dp_shard_cp"})->group(0).Members(), ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(mesh.Slice(Names{"pp", "dp_shard_cp"})->group(0).size(), 8);
  EXPECT_TRUE(mesh.GroupsOf(absl::string_view("dp_shard_cp"), GroupOrder::kComplement).ok());
}

TEST(DeviceMesh, Flatten_NamesAreUsedOnce) {
  DeviceMesh mesh = MeshOf({2, 2, 2}, {"dp", "cp", "tp"});
  EXPECT_EQ(RuleOf(mesh.Flatten(Names{"dp", "cp"}, "tp").status()), "flat_name_taken");
  EXPECT_TRUE(mesh.Flatten(Names{"dp", "cp"}, "x").ok());
  EXPECT_TRUE(mesh.Flatten(Names{"dp", "cp"}, "x").ok());
  EXPECT_EQ(RuleOf(mesh.Flatten(Names{"cp", "tp"}, "x").status()), "flat_name_reused");
  EXPECT_EQ(RuleOf(mesh.Flatten(Names{"cp", "dp"}).status()), "slice_dims_ascending");
  EXPECT_TRUE(mesh.Flatten(Names{"tp"}, "tp").ok());
  EXPECT_EQ(RuleOf(mesh.Flatten(Names{"dp"}, "tp").status()), "flat_name_taken");
}

TEST(DeviceMesh, GetGroup_NeedsADimension) {
  const DeviceMesh mesh = MeshOf({2, 2}, {"dp", "tp"});
  EXPECT_EQ(RuleOf(mesh.GroupsOf(absl::nullopt, GroupOrder::kComplement).status()), "dim_needed_for_nd_mesh");
  const auto unknown = mesh.GroupsOf(absl::string_view("pp"), GroupOrder::kComplement);
  EXPECT_EQ(RuleOf(unknown.status()), "dim_name_unknown");
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("'pp' is not a dimension here; there are dp, tp"));
  EXPECT_TRUE(MeshOf({4}, {}).GroupsOf(absl::nullopt, GroupOrder::kComplement).ok());
}

TEST(DeviceMesh, DefaultGroup_IsReusedWhereADimensionCoversTheWorld) {
  EXPECT_TRUE(MeshOf({8}, {}).ReusesDefaultGroup(0, GroupOrder::kSwapDims));
  EXPECT_FALSE(DeviceMesh::Init("cuda", {4}, {}, 8)->ReusesDefaultGroup(0, GroupOrder::kSwapDims));
  EXPECT_FALSE(MeshOf({1, 8}, {}).ReusesDefaultGroup(1, GroupOrder::kSwapDims));
  EXPECT_TRUE(MeshOf({1, 8}, {}).ReusesDefaultGroup(1, GroupOrder::kComplement));
}

TEST(DeviceMesh, BadMeshes_AreRefused) {
  struct {
    std::string device;
    std::vector<int64_t> shape;
    Names names;
    int64_t world;
    std::string rule, message;
  } cases[] = {
      {"cuda", {2, 2}, {"dp", "dp"}, -1, "dim_names_unique", "names[1]: 'dp' is already names[0]"},
      {"cuda", {2, 2, 2}, {"dp", "dp"}, -1, "dim_names_unique", ""},
      {"cuda", {2, 4}, {"dp"}, -1, "names_match_shape", "1 (dp) for 2 dimensions"},
      {"cuda:0", {4}, {}, -1, "device_type_letters_only", "'cuda:0'"},
      {"cuda", {2, 4}, {}, 7, "mesh_not_bigger_than_world", "8 ranks are more than the world of 7"},
      {"cuda", {2, 0}, {}, -1, "zero_size", "0"},
      {"cuda", {kMax, 2}, {}, -1, "grid_too_big", ""},
      {"cuda", {2, 2}, {"dp", ""}, -1, "axis_names_invalid", "names[1]: is empty"},
      {"cuda", std::vector<int64_t>(40, 1), {}, -1, "too_many_axes", "40"},
  };
  for (const auto& test : cases) {
    const auto mesh = DeviceMesh::Init(test.device, test.shape, test.names, test.world);
    EXPECT_EQ(RuleOf(mesh.status()), test.rule) << test.message;
    EXPECT_THAT(std::string(mesh.status().message()), HasSubstr(test.message));
  }
}

TEST(DeviceMesh, BadRanks_AreRefused) {
  EXPECT_EQ(RuleOf(DeviceMesh::OfRanks({{2}, {3, 3}}, {}).status()), "ranks_unique");
  EXPECT_EQ(RuleOf(DeviceMesh::OfRanks({{2}, {3, -1}}, {}).status()), "ranks_unique");
  EXPECT_EQ(RuleOf(DeviceMesh::OfRanks({{2}, {0, 9}}, {}, 8).status()), "rank_out_of_range");
  EXPECT_EQ(RuleOf(DeviceMesh::OfRanks({{3}, {0, 1, 2}}, {}, 2).status()), "mesh_not_bigger_than_world");
  EXPECT_EQ(RuleOf(DeviceMesh::OfRanks({{2, 2}, {0, 1, 2}}, {}).status()), "order_size");
  EXPECT_FALSE(DeviceMesh::OfRanks({{0}, {}}, {}).ok());
}

}  // namespace
}  // namespace muster::mesh
