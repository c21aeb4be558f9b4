#include "lib/mesh/family.h"

#include <algorithm>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using Ranks = std::vector<GlobalRank>;

std::vector<Ranks> GroupsOf(const Family& family) {
  std::vector<Ranks> groups;
  for (int64_t i = 0; i < family.count(); ++i) groups.push_back(family.group(i).Members());
  return groups;
}

// dp_cp of tp 2, cp 2, dp 3 with cp slowest: the members of a group do not continue each other.
StridedLayout TwoDigits() {
  const Grid grid = *Grid::Create({{"cp", 2}, {"tp", 2}, {"dp", 3}});
  return GridLayout(grid, grid.Select({"cp", "dp"}));
}

// Every rank that the groups list is found at that place, in that group; no other rank is found.
void ExpectFoundAsListed(const Family& family, GlobalRank world) {
  std::map<GlobalRank, std::pair<int64_t, int64_t>> listed;
  for (int64_t g = 0; g < family.count(); ++g) {
    const Ranks members = family.group(g).Members();
    for (size_t j = 0; j < members.size(); ++j) {
      EXPECT_TRUE(listed.insert({members[j], {g, j}}).second) << family.name() << " lists " << members[j] << " twice";
    }
  }
  for (GlobalRank rank = -1; rank <= world; ++rank) {
    const auto found = family.GroupOf(rank);
    const auto expected = listed.find(rank);
    ASSERT_EQ(found.has_value(), expected != listed.end()) << family.name() << " rank " << rank;
    if (!found) continue;
    EXPECT_EQ(std::make_pair(found->group_index, found->position), expected->second) << family.name() << rank;
    EXPECT_EQ(found->group, family.group(found->group_index)) << family.name() << rank;
    Ranks ascending = found->group.Members();
    std::sort(ascending.begin(), ascending.end());
    EXPECT_EQ(ascending[found->group_rank], rank) << family.name();
  }
}

TEST(Family, EveryLayout_FindsWhatItLists) {
  const Grid grid = *Grid::Create({{"tp", 2}, {"cp", 2}, {"dp", 6}, {"pp", 2}}, 5);
  const Grid permuted = *Grid::Create({{"a", 2}, {"b", 3}}, 0, *RankOrder::OfRanks({5, 0, 9, 2, 4, 7}));
  const StridedLayout dp_cp = GridLayout(grid, grid.Select({"dp", "cp"}));
  const StridedLayout listed = GridLayout(permuted, permuted.Select({"b"}));
  const StridedLayout descending = {.base = 0, .outer = {{1, 2}}, .inner = {{8, 2}, {2, 4}}};
  const Family families[] = {
      Family("grid", GridLayout(grid, grid.Select({"tp", "pp"}))),
      Family("blocks", Blocks(dp_cp, 4)),
      Family("across", AcrossBlocks(dp_cp, 4)),
      Family("uneven blocks", Blocks(TwoDigits(), 2)),
      Family("uneven across", AcrossBlocks(TwoDigits(), 2)),
      Family("short blocks", BlockLayout{dp_cp, 5}),
      Family("even blocks", BlockLayout{dp_cp, 4}),
      Family("short blocks of two digits", BlockLayout{TwoDigits(), 4}),
      Family("one block", BlockLayout{TwoDigits(), 100}),
      Family("listed", listed),
      Family("blocks of listed", Blocks(listed, 3)),
      Family("across listed", AcrossBlocks(listed, 3)),
      Family("short blocks of listed", BlockLayout{listed, 2}),
      Family("descending", descending),
      Family("short blocks of descending", BlockLayout{descending, 3}),
      Family("blocks of descending", Blocks(descending, 2)),
  };
  for (const Family& family : families) ExpectFoundAsListed(family, 60);
}

TEST(Family, UnevenBlocks_CutPlacesNotAxes) {
  EXPECT_THAT(GroupsOf(Family("dp_cp", TwoDigits())), ElementsAre(Ranks{0, 1, 4, 5, 8, 9}, Ranks{2, 3, 6, 7, 10, 11}));
  EXPECT_THAT(GroupsOf(Family("intra", Blocks(TwoDigits(), 2))),
              ElementsAre(Ranks{0, 1, 4}, Ranks{5, 8, 9}, Ranks{2, 3, 6}, Ranks{7, 10, 11}));
  EXPECT_THAT(GroupsOf(Family("inter", AcrossBlocks(TwoDigits(), 2))),
              ElementsAre(Ranks{0, 5}, Ranks{1, 8}, Ranks{4, 9}, Ranks{2, 7}, Ranks{3, 10}, Ranks{6, 11}));
  EXPECT_THAT(GroupsOf(Family("hybrid", BlockLayout{TwoDigits(), 4})),
              ElementsAre(Ranks{0, 1, 4, 5}, Ranks{8, 9}, Ranks{2, 3, 6, 7}, Ranks{10, 11}));
}

TEST(Family, EvenCuts_StayStrided) {
  const Grid grid = *Grid::Create({{"tp", 2}, {"dp", 8}, {"pp", 2}});
  const StridedLayout dp = GridLayout(grid, grid.Select({"dp"}));
  EXPECT_EQ(Family("intra", Blocks(dp, 2)).group(1), (Group{8, {{2, 4}}}));
  EXPECT_EQ(Family("inter", AcrossBlocks(dp, 2)).group(1), (Group{2, {{8, 2}}}));
  EXPECT_EQ(Family("hybrid", BlockLayout{dp, 4}).group(3), (Group{9, {{2, 4}}}));
}

TEST(Family, MembersNotAscending_GroupRankIsThePlaceAmongSortedOnes) {
  const Family family("concatenated", StridedLayout{.base = 0, .outer = {{8, 2}}, .inner = {{1, 2}, {16, 2}, {2, 4}}});
  EXPECT_THAT(family.group(0).Members(), ElementsAre(0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23));
  EXPECT_EQ(family.GroupOf(16)->position, 2);
  EXPECT_EQ(family.GroupOf(16)->group_rank, 8);
}

TEST(Family, Ring_PairsEachRankWithTheNextAndWraps) {
  const Family ring("p2p", RingLayout{.base = 0, .axis = {2, 3}, .count = 12});
  EXPECT_EQ(ring.count(), 12);
  EXPECT_THAT(ring.group(1).Members(), ElementsAre(1, 3));
  EXPECT_THAT(ring.group(5).Members(), ElementsAre(5, 1));
  EXPECT_THAT(ring.group(11).Members(), ElementsAre(11, 7));
  EXPECT_EQ(ring.GroupOf(11)->group_index, 11);
  EXPECT_EQ(ring.GroupOf(11)->group_rank, 1);
  EXPECT_EQ(ring.GroupOf(1)->group_rank, 0);
  EXPECT_FALSE(ring.GroupOf(12));
  EXPECT_THAT(Family("alone", RingLayout{.base = 0, .axis = {1, 1}, .count = 2}).group(1).Members(), ElementsAre(1, 1));
}

TEST(Family, WidestGroup_IsCounted) {
  EXPECT_EQ(Family("f", TwoDigits()).max_size(), 6);
  EXPECT_EQ(Family("f", BlockLayout{TwoDigits(), 4}).max_size(), 4);
  EXPECT_EQ(Family("f", BlockLayout{TwoDigits(), 9}).max_size(), 6);
}

TEST(Family, Properties_DefaultAndGiven) {
  const Family plain("tp", StridedLayout{});
  EXPECT_EQ(plain.options_key(), "tp");
  EXPECT_EQ(plain.backend(), "");
  EXPECT_FALSE(plain.gloo_twin() || plain.collnet());
  const Family given =
      Family("hcp_L0", StridedLayout{}).WithOptionsKey("hcp").WithBackend("ucc").WithGlooTwin(true).WithCollnet(true);
  EXPECT_EQ(given.options_key(), "hcp");
  EXPECT_EQ(given.backend(), "ucc");
  EXPECT_TRUE(given.gloo_twin() && given.collnet());
}

}  // namespace
}  // namespace muster::mesh
