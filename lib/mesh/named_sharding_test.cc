#include "lib/mesh/named_sharding.h"

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
using Names = std::vector<std::string>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

const Names& PolicyNames() {
  static const auto& names = *new Names{"pipeline_parallel", "data_parallel", "context_parallel", "tensor_parallel"};
  return names;
}

TEST(NamedSharding, LayoutA_HasTheDocumentedRanks) {
  const NamedSharding sharding = *NamedSharding::OfShape(PolicyNames(), {1, 6, 1, 4}, Compat::kCareful);
  EXPECT_THAT(sharding.Ranks({{"data_parallel", 2}})->Members(), ElementsAre(8, 9, 10, 11));
  std::vector<int64_t> leaders;
  for (int64_t worker = 0; worker < 24; ++worker) {
    if (*sharding.IsLeader(worker, kLeaderAxes)) leaders.push_back(worker);
  }
  EXPECT_THAT(leaders, ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_THAT(*sharding.Coordinates(23), ElementsAre(0, 5, 0, 3));
}

TEST(NamedSharding, SparseWorkers_KeepTheirPlaces) {
  const NamedSharding sharding = *NamedSharding::OfLayout({"a", "b"}, {{2, 2}, {10, 20, 30, 5}}, Compat::kCareful);
  EXPECT_THAT(sharding.Ranks({{"a", 1}})->Members(), ElementsAre(30, 5));
  EXPECT_THAT(*sharding.RanksByCoordinate({{"b", 1}}), ElementsAre(5, 20));
  EXPECT_THAT(*sharding.Coordinates(5), ElementsAre(1, 1));
  EXPECT_EQ(RuleOf(sharding.Coordinates(0).status()), "worker_unknown");
  EXPECT_TRUE(Partitions(*sharding.Along("b"), {5, 10, 20, 30}));
  EXPECT_TRUE(Partitions(*sharding.Slices("b"), {5, 10, 20, 30}));
}

TEST(NamedSharding, AllAxesGiven_IsOneRank) {
  const NamedSharding sharding = *NamedSharding::OfShape({"dp", "pp", "tp"}, {1, 2, 4}, Compat::kCareful);
  EXPECT_THAT(sharding.Ranks({{"dp", 0}, {"pp", 1}, {"tp", 3}})->Members(), ElementsAre(7));
  EXPECT_THAT(*sharding.RanksByCoordinate({}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(NamedSharding, Leader_MissingAxesCountAsZero) {
  const NamedSharding sharding = *NamedSharding::OfShape({"data_parallel"}, {5}, Compat::kCareful);
  EXPECT_TRUE(*sharding.IsLeader(4, kLeaderAxes));
}

TEST(NamedSharding, EveryAxisPartitionsTheWorkers) {
  const NamedSharding sharding = *NamedSharding::OfShape(PolicyNames(), {2, 3, 2, 2}, Compat::kCareful);
  for (const std::string& name : PolicyNames()) {
    EXPECT_TRUE(PartitionsWorld(*sharding.Along(name), 24));
    EXPECT_TRUE(PartitionsWorld(*sharding.Slices(name), 24));
  }
}

TEST(NamedSharding, NameTwice_CarefulRefuses_UpstreamHidesTheFirst) {
  const auto careful = NamedSharding::OfShape({"a", "b", "a"}, {2, 3, 4}, Compat::kCareful);
  EXPECT_EQ(RuleOf(careful.status()), "axis_names_invalid");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("names[2]: 'a' is already names[0]"));
  const NamedSharding upstream = *NamedSharding::OfShape({"a", "b", "a"}, {2, 3, 4}, Compat::kUpstream);
  EXPECT_EQ(*upstream.AxisSize("a"), 4);
  EXPECT_EQ(upstream.Ranks({{"a", 3}, {"b", 0}})->size(), 2);
  EXPECT_THAT(*upstream.Coordinates(23), ElementsAre(3, 2, 3));
}

TEST(NamedSharding, BadLayouts_AreRefused) {
  EXPECT_EQ(RuleOf(NamedSharding::OfLayout({"a"}, {{2, 2}, {0, 1, 2, 3}}, Compat::kUpstream).status()),
            "names_match_ndim");
  const auto twice = NamedSharding::OfLayout({"a", "b"}, {{2, 2}, {0, 1, 1, 0}}, Compat::kUpstream);
  EXPECT_EQ(RuleOf(twice.status()), "ranks_unique");
  EXPECT_THAT(std::string(twice.status().message()), HasSubstr("2 ranks are there more than once (0, 1"));
  EXPECT_EQ(RuleOf(NamedSharding::OfLayout({"a"}, {{2}, {0, -1}}, Compat::kUpstream).status()), "integer_ranks");
  EXPECT_EQ(RuleOf(NamedSharding::OfLayout({"a"}, {{3}, {0, 1}}, Compat::kUpstream).status()), "order_size");
  EXPECT_EQ(RuleOf(NamedSharding::OfShape({"a", "b"}, {2}, Compat::kCareful).status()), "names_match_ndim");
  EXPECT_EQ(RuleOf(NamedSharding::OfShape({"a", ""}, {2, 2}, Compat::kCareful).status()), "axis_names_invalid");
  EXPECT_EQ(RuleOf(NamedSharding::OfShape({"a"}, {0}, Compat::kCareful).status()), "zero_size");
  EXPECT_EQ(RuleOf(NamedSharding::OfShape({"a", "b"}, {kMax, kMax}, Compat::kCareful).status()), "grid_too_big");
}

TEST(NamedSharding, BadQuestions_AreRefused) {
  const NamedSharding sharding = *NamedSharding::OfShape({"a", "b"}, {2, 3}, Compat::kCareful);
  EXPECT_EQ(RuleOf(sharding.Ranks({{"z", 0}}).status()), "axis_unknown");
  EXPECT_EQ(RuleOf(sharding.Ranks({{"a", 2}}).status()), "index_out_of_range");
  EXPECT_EQ(RuleOf(sharding.Ranks({{"a", -1}}).status()), "index_out_of_range");
  EXPECT_EQ(RuleOf(sharding.RanksByCoordinate({{"z", 0}}).status()), "axis_unknown");
  EXPECT_THAT(*sharding.RanksByCoordinate({{"a", 2}}), IsEmpty());
  EXPECT_THAT(*sharding.RanksByCoordinate({{"a", -1}}), IsEmpty());
  EXPECT_EQ(RuleOf(sharding.Coordinates(6).status()), "worker_unknown");
  EXPECT_EQ(RuleOf(sharding.Coordinates(-1).status()), "worker_unknown");
  EXPECT_EQ(RuleOf(sharding.AxisSize("z").status()), "axis_unknown");
  EXPECT_EQ(RuleOf(sharding.IsLeader(6, kLeaderAxes).status()), "worker_unknown");
}

}  // namespace
}  // namespace muster::mesh
