#include "lib/mesh/megatron_families.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/creation.h"
#include "lib/mesh/megatron.h"

namespace muster::mesh {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;
using Ranks = std::vector<GlobalRank>;

std::shared_ptr<const Mesh> Make(const MegatronSpec& spec, int64_t world, Compat compat = Compat::kCareful) {
  auto mesh = MakeMegatronMesh(spec, compat, world);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return mesh.ok() ? *mesh : nullptr;
}

Ranks GroupOf(const Mesh& mesh, absl::string_view family, GlobalRank rank) {
  const auto found = mesh.Find(family)->GroupOf(rank);
  return found ? found->group.Members() : Ranks{};
}

std::vector<Ranks> FirstGroups(const Mesh& mesh, absl::string_view family, int64_t count) {
  std::vector<Ranks> groups;
  for (int64_t i = 0; i < count; ++i) groups.push_back(mesh.Find(family)->group(i).Members());
  return groups;
}

std::vector<std::string> Names(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const Family& family : mesh.families()) names.emplace_back(family.name());
  return names;
}

TEST(MegatronFamilies, Seed64_GroupsOfRank3) {
  const auto mesh = Make({.tp = 4, .cp = 2, .pp = 2}, 64);
  EXPECT_THAT(GroupOf(*mesh, "tp", 3), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(GroupOf(*mesh, "cp", 3), ElementsAre(3, 7));
  EXPECT_THAT(GroupOf(*mesh, "dp", 3), ElementsAre(3, 11, 19, 27));
  EXPECT_THAT(GroupOf(*mesh, "pp", 3), ElementsAre(3, 35));
  EXPECT_EQ(mesh->Find("dp_cp")->group(5), (Group{33, {{4, 2}, {8, 4}}}));
}

TEST(MegatronFamilies, Seed256MixtureOfExperts_TwoCoordinateTuples) {
  const auto mesh = Make({.tp = 4, .cp = 2, .ep = 64, .pp = 4, .etp = 1}, 256);
  const auto index_of = [](const Coordinates& coordinates, absl::string_view axis) {
    for (const AxisCoordinate& coordinate : coordinates) {
      if (coordinate.axis == axis) return coordinate.index;
    }
    return int64_t{-1};
  };
  const Coordinates dense = mesh->DenseCoordinates(85), expert = mesh->ExpertCoordinates(85);
  EXPECT_EQ(index_of(dense, "tp"), 1);
  EXPECT_EQ(index_of(dense, "cp"), 1);
  EXPECT_EQ(index_of(dense, "dp"), 2);
  EXPECT_EQ(index_of(dense, "pp"), 1);
  EXPECT_EQ(index_of(expert, "ep"), 21);
  EXPECT_EQ(index_of(expert, "pp"), 1);
  EXPECT_EQ(mesh->Find("ep")->group(1), (Group{64, {{1, 64}}}));
  EXPECT_EQ(mesh->Find("ep_dp")->max_size(), 1);
}

TEST(MegatronFamilies, WeightShards_StandBetweenTensorAndData) {
  const auto mesh = Make({.tp = 4, .gtp = 3}, 24);
  EXPECT_THAT(GroupOf(*mesh, "gtp_remat", 0), ElementsAre(0, 4, 8));
  EXPECT_THAT(GroupOf(*mesh, "dp", 0), ElementsAre(0, 12));
  EXPECT_THAT(GroupOf(*mesh, "gtp_remat_dp", 0), ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_EQ(GroupOf(*mesh, "ep_dp", 0), GroupOf(*mesh, "gtp_remat_dp", 0));
  EXPECT_EQ(mesh->Find("intra_dist_opt_instance")->group(0), (Group{0, {{1, 24}}}));
}

TEST(MegatronFamilies, DenseAndExpertShardsApart) {
  const auto mesh = Make({.tp = 2, .ep = 4, .etp = 1, .gtp = 2, .egtp = 2}, 32);
  EXPECT_THAT(FirstGroups(*mesh, "gtp_remat", 2), ElementsAre(Ranks{0, 2}, Ranks{1, 3}));
  EXPECT_THAT(GroupOf(*mesh, "ep", 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(FirstGroups(*mesh, "expt_gtp_remat", 2), ElementsAre(Ranks{0, 4}, Ranks{1, 5}));
  EXPECT_THAT(GroupOf(*mesh, "ep_dp", 0), ElementsAre(0, 8, 16, 24));
}

TEST(MegatronFamilies, GtpPlace_DecidesTheStride) {
  MegatronSpec spec = {.tp = 2, .cp = 2, .gtp = 2};
  EXPECT_THAT(GroupOf(*Make(spec, 16), "gtp_remat", 0), ElementsAre(0, 2));
  spec.gtp_place = GtpPlace::kAfterCp;
  EXPECT_THAT(GroupOf(*Make(spec, 16), "gtp_remat", 0), ElementsAre(0, 4));
}

TEST(MegatronFamilies, OptimizerInstances_BlocksAndAcross) {
  MegatronSpec spec = {.tp = 2, .ep = 2, .pp = 2, .etp = 1};
  spec.num_distopt = 2;
  const auto mesh = Make(spec, 32);
  EXPECT_THAT(FirstGroups(*mesh, "intra_dp_cp", 2), ElementsAre(Ranks{0, 2, 4, 6}, Ranks{8, 10, 12, 14}));
  EXPECT_THAT(FirstGroups(*mesh, "inter_ep_dp", 4), ElementsAre(Ranks{0, 8}, Ranks{2, 10}, Ranks{4, 12}, Ranks{6, 14}));
  const Family& instance = *mesh->Find("intra_dist_opt_instance");
  EXPECT_THAT(instance.group(0).Members(), ElementsAre(0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23));
  EXPECT_EQ(instance.GroupOf(16)->group_rank, 8);
  // Group, its blocks, the next group; twins after each.
  std::vector<std::string> calls;
  ForEachCreation(*mesh, [&](const GroupCreation& creation) {
    if (calls.size() < 40) calls.push_back(std::string(creation.family.name()) + (creation.gloo_twin ? "/gloo" : ""));
  });
  EXPECT_THAT(std::vector<std::string>(calls.begin() + 32, calls.begin() + 40),
              ElementsAre("dp_cp", "dp_cp/gloo", "intra_dp_cp", "intra_dp_cp/gloo", "intra_dp_cp", "intra_dp_cp/gloo",
                          "dp_cp", "dp_cp/gloo"));
}

TEST(MegatronFamilies, HierarchicalContext_LevelsOfOneGroup) {
  MegatronSpec spec = {.cp = 8};
  spec.hcp = {2, 4};
  const auto mesh = Make(spec, 16);
  EXPECT_THAT(FirstGroups(*mesh, "hcp_L0", 4), ElementsAre(Ranks{0, 1}, Ranks{2, 3}, Ranks{4, 5}, Ranks{6, 7}));
  EXPECT_THAT(FirstGroups(*mesh, "hcp_L1", 2), ElementsAre(Ranks{0, 2, 4, 6}, Ranks{1, 3, 5, 7}));
  EXPECT_EQ(mesh->Find("hcp_L1")->options_key(), "hcp");
}

TEST(MegatronFamilies, HybridContext_LastBlockIsShort) {
  MegatronSpec spec = {.tp = 2};
  spec.hybrid_cp = true;
  const auto mesh = Make(spec, 20);
  EXPECT_THAT(FirstGroups(*mesh, "hybrid_dp_cp_2", 2), ElementsAre(Ranks{0, 2}, Ranks{4, 6}));
  EXPECT_THAT(FirstGroups(*mesh, "hybrid_dp_cp_4", 3),
              ElementsAre(Ranks{0, 2, 4, 6}, Ranks{8, 10, 12, 14}, Ranks{16, 18}));
  EXPECT_EQ(mesh->Find("hybrid_dp_cp_8"), nullptr);
  EXPECT_EQ(mesh->Find("hybrid_dp_cp_4")->options_key(), "dp_cp");
}

TEST(MegatronFamilies, Pipeline_EndsShareTheEmbedding) {
  const auto mesh = Make({.tp = 8, .pp = 4}, 256);
  EXPECT_THAT(GroupOf(*mesh, "pp", 0), ElementsAre(0, 64, 128, 192));
  EXPECT_THAT(GroupOf(*mesh, "embd", 192), ElementsAre(0, 192));
  EXPECT_THAT(GroupOf(*mesh, "embd", 64), ElementsAre());
  EXPECT_THAT(GroupOf(*mesh, "pos_embd", 0), ElementsAre(0));
  EXPECT_THAT(GroupOf(*mesh, "pos_embd", 192), ElementsAre());
  EXPECT_THAT(GroupOf(*Make({.tp = 8}, 64), "embd", 5), ElementsAre(5));
}

TEST(MegatronFamilies, RankOffset_ShiftsEveryRank) {
  MegatronSpec spec = {.tp = 2, .pp = 2};
  spec.rank_offset = 64;
  const auto mesh = Make(spec, 32);
  EXPECT_THAT(FirstGroups(*mesh, "tp", 1), ElementsAre(Ranks{64, 65}));
  EXPECT_THAT(FirstGroups(*mesh, "pp", 1), ElementsAre(Ranks{64, 80}));
  EXPECT_EQ(mesh->first_rank(), 64);
  EXPECT_FALSE(mesh->Find("tp")->GroupOf(63));
}

TEST(MegatronFamilies, ReusedFamilies_AreAliases) {
  const auto plain = Make({.tp = 2}, 16);
  EXPECT_THAT(plain->aliases(),
              ElementsAre(Pair("intra_dp_cp", "dp_cp"), Pair("gtp_remat_dp", "dp"), Pair("gtp_remat_dp_cp", "dp_cp"),
                          Pair("intra_ep_dp", "ep_dp"), Pair("ep_gtp_remat_dp", "ep_dp")));
  EXPECT_EQ(plain->Find("gtp_remat_dp"), plain->Find("dp"));
  EXPECT_EQ(plain->Find("inter_ep_dp"), nullptr);
  EXPECT_THAT(Make({.tp = 2, .gtp = 2, .egtp = 2}, 16)->aliases(),
              ElementsAre(Pair("intra_dp_cp", "dp_cp"), Pair("intra_ep_dp", "ep_dp")));
}

TEST(MegatronFamilies, GlooTwins_AreSwitchedOffByWeightShards) {
  const auto twins = [](const Mesh& mesh) {
    std::vector<std::string> names;
    for (const Family& family : mesh.families()) {
      if (family.gloo_twin()) names.emplace_back(family.name());
    }
    return names;
  };
  EXPECT_THAT(twins(*Make({.tp = 2}, 16)), ElementsAre("dp_cp", "dp", "ep_dp"));
  EXPECT_THAT(twins(*Make({.tp = 2, .egtp = 2}, 16)), ElementsAre("dp_cp", "dp"));
  EXPECT_THAT(twins(*Make({.tp = 2, .gtp = 2}, 16)), ElementsAre());
  MegatronSpec off = {.tp = 2};
  off.gloo = false;
  EXPECT_THAT(twins(*Make(off, 16)), ElementsAre());
}

TEST(MegatronFamilies, InNetworkReduction_CoversTheFamiliesOfItsGroup) {
  const auto collnet = [](const Mesh& mesh) {
    std::vector<std::string> names;
    for (const Family& family : mesh.families()) {
      if (family.collnet()) names.emplace_back(family.name());
    }
    return names;
  };
  MegatronSpec spec = {.tp = 2};
  spec.use_sharp = true;
  spec.num_distopt = 2;
  EXPECT_THAT(collnet(*Make(spec, 32)), ElementsAre("dp_cp", "intra_dp_cp"));
  spec.sharp_group = "dp_replica";
  EXPECT_THAT(collnet(*Make(spec, 32)), ElementsAre("intra_ep_dp", "inter_ep_dp"));
}

TEST(MegatronFamilies, UccPipeline_HasBackendAndNoOptions) {
  MegatronSpec spec = {.pp = 2};
  spec.pp_backend = "ucc";
  const auto mesh = Make(spec, 16);
  EXPECT_EQ(mesh->Find("pp")->backend(), "ucc");
  EXPECT_EQ(mesh->Find("pp")->options_key(), "");
  EXPECT_EQ(mesh->Find("embd")->backend(), "");
}

TEST(MegatronFamilies, RevisionBeforeGtp_LacksItsFamilies) {
  MegatronSpec spec = {.tp = 2};
  spec.revision = MegatronRevision::kBeforeGtp;
  spec.use_sharp = true;  // works there
  const auto mesh = Make(spec, 16, Compat::kUpstream);
  EXPECT_THAT(Names(*mesh), AllOf(Contains("tp_ep_pp"), Not(Contains("gtp_remat")), Not(Contains("expt_gtp_remat")),
                                  Not(Contains("tp_ep_gtp_remat_pp"))));
}

// Every family but embd and pos_embd holds each rank once, in the group and at the place that it lists.
class Partition : public ::testing::TestWithParam<std::pair<int64_t, MegatronSpec>> {};

TEST_P(Partition, EveryFamilyFindsWhatItLists) {
  const auto& [world, spec] = GetParam();
  const auto mesh = Make(spec, world);
  ASSERT_NE(mesh, nullptr);
  for (const Family& family : mesh->families()) {
    std::set<GlobalRank> seen;
    for (int64_t g = 0; g < family.count(); ++g) {
      const Group group = family.group(g);
      Ranks ascending = group.Members();
      std::sort(ascending.begin(), ascending.end());
      for (int64_t j = 0; j < group.size(); ++j) {
        const GlobalRank rank = group.member(j);
        ASSERT_TRUE(seen.insert(rank).second) << family.name() << " lists " << rank << " twice";
        const auto found = family.GroupOf(rank);
        ASSERT_TRUE(found) << family.name();
        ASSERT_EQ(found->group_index, g) << family.name();
        ASSERT_EQ(found->position, j) << family.name();
        ASSERT_EQ(ascending[found->group_rank], rank) << family.name();
        ASSERT_EQ(found->group, group) << family.name();
      }
    }
    if (family.name() == "embd" || family.name() == "pos_embd") continue;
    EXPECT_EQ(static_cast<int64_t>(seen.size()), world) << family.name();
    EXPECT_EQ(*seen.begin(), spec.rank_offset);
    EXPECT_EQ(*seen.rbegin(), spec.rank_offset + world - 1);
  }
}

std::vector<std::pair<int64_t, MegatronSpec>> Worlds() {
  std::vector<std::pair<int64_t, MegatronSpec>> worlds = {
      {64, {.tp = 4, .cp = 2, .pp = 2}},
      {256, {.tp = 4, .cp = 2, .ep = 64, .pp = 4, .etp = 1}},
      {48, {.tp = 2, .cp = 2, .pp = 2, .gtp = 3}},
      {64, {.tp = 2, .ep = 4, .etp = 1, .gtp = 2, .egtp = 2}},
      {64, {.tp = 4, .cp = 2, .ep = 8, .pp = 2, .etp = 1, .order = "tp-cp-ep-pp-dp"}},
      {32, {.tp = 2, .pp = 2, .gtp = 2, .order = "dp-tp-cp-ep-pp"}},
      {1, {}},
  };
  for (auto& [world, spec] : worlds) {
    if (spec.gtp > 1 || spec.egtp > 1 || world == 1) continue;
    spec.num_distopt = world == 256 ? 1 : 2;
    spec.hybrid_cp = spec.pp == 1;
    spec.rank_offset = world;
  }
  // Instance and hybrid blocks that cut the two axes of dp_cp unevenly: cp 2 · dp 3, not neighbours.
  MegatronSpec uneven = {.tp = 2, .cp = 2, .etp = 2, .order = "cp-tp-ep-dp-pp"};
  uneven.num_distopt = 2;
  uneven.hybrid_cp = true;
  worlds.push_back({12, uneven});
  MegatronSpec levels = {.tp = 2, .cp = 12};
  levels.hcp = {3, 2, 1, 2};
  worlds.push_back({48, levels});
  return worlds;
}

INSTANTIATE_TEST_SUITE_P(Megatron, Partition, ::testing::ValuesIn(Worlds()));

}  // namespace
}  // namespace muster::mesh
