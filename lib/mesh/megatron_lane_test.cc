#include "lib/mesh/megatron_lane.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/megatron.h"
#include "lib/mesh/mesh_builder.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> Lanes(const Mesh& mesh) {
  std::vector<int64_t> lanes;
  for (GlobalRank rank = 0; rank < mesh.world(); ++rank) lanes.push_back(DataParallelLane(mesh, rank)->index);
  return lanes;
}

TEST(MegatronLane, WeightShards_AreLanesOfTheirOwn) {
  const auto mesh = MakeMegatronMesh({.tp = 4, .gtp = 3}, Compat::kCareful, 24);
  ASSERT_TRUE(mesh.ok());
  for (GlobalRank rank = 0; rank < 24; ++rank) {
    EXPECT_EQ(DataParallelLane(**mesh, rank), (Lane{rank / 4, 6}));
    EXPECT_EQ(ReplicaLane(**mesh, rank), (Lane{rank / 12, 2}));
  }
}

TEST(MegatronLane, PlaceOfTheShardAxis_ChangesLanesWithContextParallelism) {
  MegatronSpec spec = {.tp = 2, .cp = 2, .gtp = 2};
  EXPECT_THAT(Lanes(**MakeMegatronMesh(spec, Compat::kCareful, 16)),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3));
  spec.gtp_place = GtpPlace::kAfterCp;
  EXPECT_THAT(Lanes(**MakeMegatronMesh(spec, Compat::kCareful, 16)),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
}

TEST(MegatronLane, RevisionBeforeGtp_LanesAreTheDataRanks) {
  MegatronSpec spec = {.tp = 2};
  spec.revision = MegatronRevision::kBeforeGtp;
  const auto mesh = MakeMegatronMesh(spec, Compat::kCareful, 8);
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(DataParallelLane(**mesh, 5), (Lane{2, 4}));
}

TEST(MegatronLane, OutsideOrAnotherDialect_HasNone) {
  const auto mesh = MakeMegatronMesh({.tp = 2}, Compat::kCareful, 8);
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(DataParallelLane(**mesh, 8), absl::nullopt);
  EXPECT_EQ(ReplicaLane(**mesh, -1), absl::nullopt);
  const auto other = MeshBuilder("torch", 1, Grid()).Build();
  EXPECT_EQ(DataParallelLane(*other, 0), absl::nullopt);
}

}  // namespace
}  // namespace muster::mesh
