#include "lib/gang/seats.h"

#include <gtest/gtest.h>

#include "lib/gang/index_set.h"
#include "lib/gang/limits.h"

namespace muster::gang {
namespace {

v1::Placement On(const std::vector<std::string>& nodes, const std::vector<int>& indexes) {
  v1::Placement placement;
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto* placed = placement.add_ranks();
    placed->set_node(nodes[i]);
    placed->set_node_uid("uid-" + nodes[i]);
    placed->set_pod_index(indexes[i]);
  }
  return placement;
}

std::vector<int> Ranks(const Seats& seats, const std::vector<std::string>& nodes) {
  std::set<PodIndex> surplus;
  const auto ranks = seats.Rank(nodes, &surplus);
  std::vector<int> values;
  if (ranks) {
    for (const NodeRank rank : *ranks) values.push_back(rank.value());
  }
  EXPECT_EQ(ranks.has_value(), surplus.empty());
  return values;
}

TEST(Seats, ByNode_MembersOfOneNodeInTheOrderOfTheirIndexes) {
  const Seats seats(On({"b", "a", "b"}, {-1, -1, -1}), /*by_index=*/false);
  EXPECT_EQ(Ranks(seats, {"b", "b", "a"}), (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(Ranks(seats, {"b", "b", "b"}), std::vector<int>{}) << "one too many";
  EXPECT_EQ(Ranks(seats, {"b", "", "a"}), std::vector<int>{}) << "one nowhere";
  EXPECT_TRUE(seats.Fits(PodIndex(2), "a"));
  EXPECT_FALSE(seats.Fits(PodIndex(2), "c"));
  EXPECT_FALSE(seats.Fits(PodIndex(3), "a"));
  EXPECT_FALSE(seats.Fits(PodIndex(-1), "a"));
  EXPECT_EQ(seats.NodesFor(PodIndex(2)), (std::vector<std::string>{"b", "a"}));
}

TEST(Seats, NamedIndexes_DecideWhereTheyAreAPermutation) {
  const Seats seats(On({"a", "b", "c"}, {2, 0, 1}), /*by_index=*/false);
  EXPECT_EQ(Ranks(seats, {"b", "c", "a"}), (std::vector<int>{1, 2, 0}));
  EXPECT_TRUE(seats.Fits(PodIndex(0), "b"));
  EXPECT_TRUE(seats.Fits(PodIndex(0), "")) << "the index alone decides";
  EXPECT_FALSE(seats.Fits(PodIndex(0), "a"));
  EXPECT_EQ(seats.NodesFor(PodIndex(0)), std::vector<std::string>{"b"});
  for (const std::vector<int>& broken : {std::vector<int>{0, 0, 1}, {0, 1, 3}, {0, 1, -1}}) {
    EXPECT_TRUE(Seats(On({"a", "b", "c"}, broken), false).Fits(PodIndex(0), "c")) << "found by node";
  }
}

TEST(Seats, ByIndex_RankIsThePodIndex) {
  const Seats seats(On({"a", "b"}, {1, 0}), /*by_index=*/true);
  EXPECT_EQ(Ranks(seats, {"", ""}), (std::vector<int>{0, 1}));
}

TEST(IndexSet, CountsAndFindsTheFirstAbsent) {
  IndexSet set;
  for (int i = 0; i < 200; ++i) set.Insert(PodIndex(i));
  set.Insert(PodIndex(7));
  EXPECT_EQ(set.count(), 200);
  EXPECT_EQ(set.FirstAbsent(200, 3).size(), 0u);
  set.Erase(PodIndex(130));
  set.Erase(PodIndex(130));
  set.Erase(PodIndex(5000));
  EXPECT_EQ(set.count(), 199);
  EXPECT_EQ(set.FirstAbsent(203, 3), (std::vector<PodIndex>{PodIndex(130), PodIndex(200), PodIndex(201)}));
  set.Clear();
  EXPECT_EQ(set.count(), 0);
  EXPECT_EQ(set.FirstAbsent(1, 3), std::vector<PodIndex>{PodIndex(0)});
}

TEST(Limits, AbsentIsTheDefault_ZeroTriesAreNone_NonsenseIsTheDefault) {
  v1::JobSpec spec;
  EXPECT_EQ(LimitsOf(spec).max_tries, 3);
  EXPECT_EQ(LimitsOf(spec).deadline, absl::InfiniteDuration());
  EXPECT_EQ(LimitsOf(spec).test_deadline, absl::Minutes(1));
  spec.mutable_self_test()->set_profile(v1::SelfTestSpec::SOAK);
  spec.mutable_limits()->set_max_tries(0);
  spec.mutable_limits()->set_max_restarts(9);
  spec.mutable_limits()->mutable_stop_deadline()->set_seconds(5);
  spec.mutable_limits()->mutable_exit_grace()->set_seconds(-5);
  spec.mutable_limits()->mutable_repair_deadline()->set_seconds(int64_t{1} << 62);
  const Limits limits = LimitsOf(spec);
  EXPECT_EQ(limits.max_tries, 0);
  EXPECT_EQ(limits.max_restarts, 9);
  EXPECT_EQ(limits.stop_deadline, absl::Seconds(5));
  EXPECT_EQ(limits.exit_grace, absl::Minutes(5));
  EXPECT_EQ(limits.repair_deadline, absl::Minutes(10));
  EXPECT_EQ(limits.test_deadline, absl::Minutes(30));
}

}  // namespace
}  // namespace muster::gang
