#include "lib/mesh/megatron_all_gather.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/megatron.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;

MegatronSpec WithTwins(MegatronSpec spec) {
  spec.all_gather_groups = true;
  return spec;
}

TEST(AllGatherFamilies, DefaultOrder_TwinsOfTheSameRanks) {
  const auto mesh = MakeMegatronMesh(WithTwins({.tp = 2, .cp = 2, .ep = 4, .pp = 2, .etp = 1}), Compat::kCareful, 32);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  const Family* dense = (*mesh)->Find("dp_cp_ag");
  const Family* expert = (*mesh)->Find("ep_dp_ag");
  ASSERT_TRUE(dense != nullptr && expert != nullptr);
  for (int64_t i = 0; i < dense->count(); ++i) EXPECT_EQ(dense->group(i), (*mesh)->Find("dp_cp")->group(i));
  for (int64_t i = 0; i < expert->count(); ++i) EXPECT_EQ(expert->group(i), (*mesh)->Find("ep_dp")->group(i));
  EXPECT_EQ(dense->options_key(), "dp_cp");
  EXPECT_FALSE(dense->gloo_twin());
  EXPECT_EQ((*mesh)->families().back().name(), "ep_dp_ag");
}

TEST(AllGatherFamilies, NoExperts_OnlyTheDenseTwin) {
  const auto mesh = MakeMegatronMesh(WithTwins({.tp = 2}), Compat::kCareful, 8);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ((*mesh)->Find("ep_dp_ag"), nullptr);
}

TEST(AllGatherFamilies, AnotherOrder_UpstreamPairsOtherRanksAndCarefulRefuses) {
  const MegatronSpec spec = WithTwins({.tp = 2, .pp = 2, .order = "tp-cp-ep-pp-dp"});
  EXPECT_EQ(RuleOf(MakeMegatronMesh(spec, Compat::kCareful, 32).status()), "all_gather_groups_differ");
  const auto mesh = MakeMegatronMesh(spec, Compat::kUpstream, 32);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_THAT((*mesh)->Find("dp_cp_ag")->group(0).Members(), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_THAT((*mesh)->Find("dp_cp")->group(0).Members(), ElementsAre(0, 4, 8, 12, 16, 20, 24, 28));
}

TEST(AllGatherFamilies, WeightShards_UpstreamCountsThemTwiceAndCarefulRefuses) {
  const MegatronSpec spec = WithTwins({.tp = 2, .gtp = 2});
  EXPECT_EQ(RuleOf(MakeMegatronMesh(spec, Compat::kCareful, 16).status()), "all_gather_groups_differ");
  const auto mesh = MakeMegatronMesh(spec, Compat::kUpstream, 16);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ((*mesh)->Find("dp_cp_ag")->count() * (*mesh)->Find("dp_cp_ag")->max_size(), 32);
}

TEST(AllGatherFamilies, OrderThatDiffersInNameOnly_IsFine) {
  const MegatronSpec spec = WithTwins({.tp = 2, .pp = 2, .order = "tp-dp-pp"});
  EXPECT_TRUE(MakeMegatronMesh(spec, Compat::kCareful, 32).ok());
}

TEST(AllGatherFamilies, RankOffset_CarefulRefuses) {
  MegatronSpec spec = WithTwins({.tp = 2});
  spec.rank_offset = 8;
  EXPECT_EQ(RuleOf(MakeMegatronMesh(spec, Compat::kCareful, 8).status()), "all_gather_groups_differ");
}

}  // namespace
}  // namespace muster::mesh
