#include "lib/mesh/megatron_grid.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(MegatronGrid, DocstringExample_GroupsOfEveryAxis) {
  // 24 workers in the order tp-dp-pp.
  const auto grid = MegatronGrid::Create("tp-dp-pp", {.tp = 2, .pp = 4, .dp = 3}, 0, Compat::kCareful);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->world(), 24);
  EXPECT_THAT(Family("dp", *grid->Groups({"dp"})).group(1).Members(), ElementsAre(1, 3, 5));
  EXPECT_THAT(Family("pp", *grid->Groups({"pp"})).group(5).Members(), ElementsAre(5, 11, 17, 23));
  EXPECT_THAT(Family("tp-dp", *grid->Groups({"tp", "dp"})).group(1).Members(), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_EQ(*grid->Groups({"tp", "dp"})->inner.begin(), *grid->Groups({"dp", "tp"})->inner.begin());
}

TEST(MegatronGrid, TpHiddenByGtpRemat_UpstreamFailsOnUseAndCarefulAtOnce) {
  const MegatronSizes sizes = {.tp = 2, .dp = 2, .gtp = 2};
  const auto grid = MegatronGrid::Create("gtp_remat-dp", sizes, 0, Compat::kUpstream);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(RuleOf(grid->Groups({"tp"}).status()), "axis_token_absent");
  EXPECT_EQ(RuleOf(grid->Groups({"dp"}).status()), "order_lacks_tp_unnoticed");
  EXPECT_EQ(RuleOf(MegatronGrid::Create("gtp_remat-dp", sizes, 0, Compat::kCareful).status()),
            "axis_missing_from_order");
}

TEST(MegatronGrid, BadSizes_AreRefusedByRule) {
  struct {
    MegatronSizes sizes;
    int64_t offset;
    const char* rule;
  } cases[] = {
      {{.ep = 2, .cp = 2}, 0, "ep_and_cp_in_one_generator"},
      {{.tp = 0}, 0, "zero_size"},
      {{.dp = -4}, 0, "zero_size"},
      {{.tp = kMax, .dp = 2}, 0, "grid_too_big"},
      {{.tp = kMax}, kMax, "grid_too_big"},
      {{.tp = 2}, -1, "rank_offset_negative"},
  };
  for (const auto& test : cases) {
    for (Compat compat : {Compat::kCareful, Compat::kUpstream}) {
      const auto grid = MegatronGrid::Create("tp-cp-ep-dp-pp", test.sizes, test.offset, compat);
      EXPECT_EQ(RuleOf(grid.status()), test.rule);
    }
  }
}

TEST(MegatronGrid, HiddenTpOfHostileSize_IsRefused) {
  const MegatronSizes sizes = {.tp = kMax, .dp = 2, .gtp = 2};
  EXPECT_EQ(RuleOf(MegatronGrid::Create("gtp_remat-dp", sizes, 0, Compat::kUpstream).status()), "grid_too_big");
}

TEST(MegatronGrid, RevisionBeforeGtp_HasNoSuchAxis) {
  const auto grid = MegatronGrid::Create("tp-dp", {.tp = 2, .dp = 2, .has_gtp_axis = false}, 0, Compat::kCareful);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->grid().Find("gtp_remat"), absl::nullopt);
  EXPECT_EQ(grid->grid().axes().size(), 5u);
}

}  // namespace
}  // namespace muster::mesh
