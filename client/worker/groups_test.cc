#include "client/worker/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using testing::ElementsAre;

v1::FamilyShape Shape(std::vector<int64_t> strides, std::vector<int64_t> sizes) {
  v1::FamilyShape shape;
  shape.set_name("f");
  for (int64_t s : strides) shape.add_strides(s);
  for (int64_t s : sizes) shape.add_sizes(s);
  return shape;
}

v1::Assignment Member(int32_t node_rank, int32_t workers) {
  v1::Assignment a;
  a.set_node_rank(node_rank);
  a.set_workers_per_member(workers);
  return a;
}

std::vector<int64_t> Members(const v1::Assignment& a, const v1::FamilyShape& f, int32_t local) {
  const auto group = GroupOf(a, f, local);
  return group ? group->members : std::vector<int64_t>{};
}

// TP4 CP2 DP4 PP2 on 64 workers, eight a member: rank 3's groups.
TEST(GroupOf, SeedOf64_Rank3) {
  const v1::Assignment a = Member(0, 8);
  EXPECT_THAT(Members(a, Shape({1}, {4}), 3), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Members(a, Shape({8}, {4}), 3), ElementsAre(3, 11, 19, 27));
  EXPECT_THAT(Members(a, Shape({32}, {2}), 3), ElementsAre(3, 35));
  EXPECT_EQ(GroupOf(a, Shape({8}, {4}), 3)->position, 0);
  EXPECT_EQ(GroupOf(Member(2, 8), Shape({8}, {4}), 3)->position, 2);
}

TEST(GroupOf, TwoDigits_FirstVariesFastest) {
  EXPECT_THAT(Members(Member(4, 8), Shape({4, 8}, {2, 4}), 1), ElementsAre(33, 37, 41, 45, 49, 53, 57, 61));
}

TEST(GroupOf, NoDigits_IsTheWorkerAlone) { EXPECT_THAT(Members(Member(1, 4), Shape({}, {}), 2), ElementsAre(6)); }

// The first and last stage of a pipeline of four, stride 4: middle stages are in no group.
TEST(GroupOf, OuterDigits_LeaveOutWhoIsInNoGroup) {
  v1::FamilyShape embd = Shape({12}, {2});
  embd.add_outer_strides(1);
  embd.add_outer_sizes(4);
  EXPECT_THAT(Members(Member(0, 4), embd, 2), ElementsAre(2, 14));
  EXPECT_THAT(Members(Member(3, 4), embd, 2), ElementsAre(2, 14));
  EXPECT_FALSE(GroupOf(Member(1, 4), embd, 2));
  EXPECT_FALSE(GroupOf(Member(2, 4), embd, 2));
}

TEST(GroupOf, Blocks_LastOneIsShort) {
  v1::FamilyShape blocks = Shape({2}, {10});
  blocks.set_block(4);
  EXPECT_THAT(Members(Member(0, 2), blocks, 0), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(Members(Member(9, 2), blocks, 0), ElementsAre(16, 18));
}

TEST(GroupOf, Ring_IsThePairThatTheWorkerBegins) {
  v1::FamilyShape ring = Shape({4}, {4});
  ring.set_ring(true);
  EXPECT_THAT(Members(Member(0, 4), ring, 1), ElementsAre(1, 5));
  EXPECT_THAT(Members(Member(3, 4), ring, 1), ElementsAre(13, 1));
}

TEST(GroupOf, Permutation_MapsPositionsToRanks) {
  v1::Assignment a = Member(0, 4);
  for (int64_t r : {3, 2, 1, 0}) a.mutable_mesh()->add_permutation(r);
  EXPECT_THAT(Members(a, Shape({1}, {2}), 0), ElementsAre(1, 0));
  EXPECT_FALSE(GroupOf(
      Member(1, 4),
      [] {
        v1::FamilyShape f = Shape({}, {});
        f.add_groups()->set_none(true);
        return f;
      }(),
      0));
}

TEST(GroupOf, ListedGroups_ByLocalRankOrOwn) {
  v1::FamilyShape listed = Shape({}, {});
  listed.add_groups()->add_members(0);
  v1::StridedGroup* second = listed.add_groups();
  for (int64_t r : {7, 1}) second->add_members(r);
  v1::Assignment member = Member(0, 2);
  EXPECT_THAT(Members(member, listed, 1), ElementsAre(7, 1));
  EXPECT_EQ(GroupOf(member, listed, 1)->position, 1);
  EXPECT_FALSE(GroupOf(Member(0, 4), listed, 3));
}

}  // namespace
}  // namespace muster::worker
