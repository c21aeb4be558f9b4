#include "lib/mesh/nemo_policy.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/nemo_spec.h"
#include "lib/mesh/partition_check.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(PolicySharding, Lanes_AreEightConsecutiveRanksOfEachStage) {
  const PolicyDegrees degrees{.pp = 2, .cp = 2, .tp = 4};
  const NamedSharding policy = *PolicySharding(64, degrees);
  EXPECT_THAT(policy.Slices(kDataParallel)->group(0).Members(),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 32, 33, 34, 35, 36, 37, 38, 39));
  for (GlobalRank rank = 0; rank < 64; ++rank) {
    EXPECT_EQ(LaneOf(rank, 64, degrees), (*policy.Coordinates(rank))[1]) << rank;
  }
}

TEST(PolicySharding, GtpFold_LaneIsDTimesGPlusG) {
  const PolicyDegrees degrees{.pp = 1, .cp = 1, .tp = 4, .gtp = 3};
  EXPECT_EQ(*PolicySharding(24, degrees)->AxisSize(kDataParallel), 6);
  // d 1, g 2, t 3 is rank 3 + 4 * (2 + 3 * 1).
  EXPECT_EQ(LaneOf(23, 24, degrees), 5);
  EXPECT_EQ(Unfold(5, degrees).data, 1);
  EXPECT_EQ(Unfold(5, degrees).gtp, 2);
}

TEST(PolicySharding, BadDegrees_AreRefused) {
  struct {
    int64_t world;
    PolicyDegrees degrees;
    std::string rule, message;
  } cases[] = {
      {4, {.pp = 2, .cp = 2, .tp = 2}, "world_at_least_model_parallel", "world: 4 workers are fewer"},
      {12, {.pp = 2, .cp = 2, .tp = 2}, "model_parallel_divides_world", "4 workers would be left over"},
      {24, {.pp = 1, .cp = 1, .tp = 4, .gtp = 4}, "gtp_divides_lanes", "gtp: 4 does not divide the 6"},
      {0, {}, "degree_out_of_range", "world: 0"},
      {8, {.pp = 0}, "degree_out_of_range", "pp: 0"},
      {8, {.pp = 1, .cp = 1, .tp = -2}, "degree_out_of_range", "tp: -2"},
      {kMax, {.pp = kMax, .cp = kMax, .tp = kMax}, "world_at_least_model_parallel", ""},
      {8, {.pp = kMax}, "world_at_least_model_parallel", ""},
  };
  for (const auto& test : cases) {
    const auto policy = PolicySharding(test.world, test.degrees);
    EXPECT_EQ(RuleOf(policy.status()), test.rule);
    EXPECT_THAT(std::string(policy.status().message()), HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace muster::mesh
