#include "lib/mesh/megatron_order.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::HasSubstr;

constexpr Compat kBoth[] = {Compat::kCareful, Compat::kUpstream};

std::vector<Axis> Sizes(int64_t tp, int64_t dp, int64_t gtp) {
  return {{"tp", tp}, {"pp", 1}, {"dp", dp}, {"ep", 1}, {"cp", 1}, {"gtp_remat", gtp}};
}

TEST(WithGtpAxis, Anchor_DecidesThePlace) {
  struct {
    std::string order;
    std::vector<absl::string_view> anchors;
    std::string careful;
    std::string upstream;
  } cases[] = {
      {"tp-cp-ep-dp-pp", {"tp"}, "tp-gtp_remat-cp-ep-dp-pp", "tp-gtp_remat-cp-ep-dp-pp"},
      {"tp-cp-ep-dp-pp", {"cp", "tp"}, "tp-cp-gtp_remat-ep-dp-pp", "tp-cp-gtp_remat-ep-dp-pp"},
      {"tp-cp-dp-pp", {"ep", "tp"}, "tp-gtp_remat-cp-dp-pp", "tp-gtp_remat-cp-dp-pp"},
      {"dp-pp", {"ep", "tp"}, "gtp_remat-dp-pp", "gtp_remat-dp-pp"},
      {"gtp_remat-tp-dp", {"tp"}, "gtp_remat-tp-dp", "gtp_remat-tp-dp"},
      // Upstream looks at the order as written, letter by letter.
      {"TP-DP-PP", {"tp"}, "tp-gtp_remat-dp-pp", "gtp_remat-TP-DP-PP"},
      {"tp-xgtp_rematx", {"tp"}, "tp-gtp_remat-xgtp_rematx", "tp-xgtp_rematx"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(WithGtpAxis(test.order, test.anchors, Compat::kCareful), test.careful);
    EXPECT_EQ(WithGtpAxis(test.order, test.anchors, Compat::kUpstream), test.upstream);
  }
}

TEST(OrderTokens, AxesOfSizeOneLeftOut_AreAppendedInUpstreamsSequence) {
  for (Compat compat : kBoth) {
    const auto tokens = OrderTokens("TP-dp", Sizes(2, 4, 1), compat);
    ASSERT_TRUE(tokens.ok());
    EXPECT_EQ(absl::StrJoin(*tokens, "-"), "tp-dp-pp-ep-cp-gtp_remat");
  }
}

TEST(OrderTokens, TpHiddenByGtpRemat_CarefulRefusesUpstreamDoesNotNotice) {
  const auto careful = OrderTokens("gtp_remat-dp", Sizes(2, 2, 2), Compat::kCareful);
  EXPECT_EQ(RuleOf(careful.status()), "axis_missing_from_order");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("does not name tp, which has size 2. Add tp"));
  const auto upstream = OrderTokens("gtp_remat-dp", Sizes(2, 2, 2), Compat::kUpstream);
  ASSERT_TRUE(upstream.ok());
  EXPECT_EQ(absl::StrJoin(*upstream, "-"), "gtp_remat-dp-pp-ep-cp");
  EXPECT_EQ(absl::StrJoin(*OrderTokens("gtp_remat-dp", Sizes(1, 2, 2), Compat::kCareful), "-"),
            "gtp_remat-dp-tp-pp-ep-cp");
}

TEST(OrderTokens, BadOrders_AreRefusedByRuleAndShown) {
  struct {
    std::string order;
    std::string rule;
    std::string message;
  } cases[] = {
      {"", "axis_missing_from_order", "order: '' does not name tp"},
      {"tp-pp", "axis_missing_from_order", "does not name dp, which has size 4"},
      {"tp-dpp-pp", "axis_missing_from_order", "'dpp' is no axis"},
      {"tp-dp-pp-xp", "order_token_unknown", "names 'xp', which is no axis. Axes: tp, pp, dp, ep, cp, gtp_remat"},
      {"tp--dp", "order_token_unknown", "names '', which is no axis"},
      {"tp-dp-", "order_token_unknown", "names ''"},
      {" tp-dp", "axis_missing_from_order", "does not name tp"},
      {"tp-dp-tp", "order_token_duplicate", "names tp twice"},
      {"t\xc3\xbcp-dp", "axis_missing_from_order", "'t\\xc3\\xbcp-dp'"},
      {std::string("tp\0-dp", 6), "axis_missing_from_order", "'tp\\x00-dp'"},
      {std::string(5000, 'x'), "axis_missing_from_order", "xxx...'"},
  };
  for (const auto& test : cases) {
    const auto careful = OrderTokens(test.order, Sizes(2, 4, 1), Compat::kCareful);
    EXPECT_EQ(RuleOf(careful.status()), test.rule) << test.order;
    EXPECT_THAT(std::string(careful.status().message()), HasSubstr(test.message));
    EXPECT_LT(careful.status().message().size(), 400u);
    EXPECT_FALSE(OrderTokens(test.order, Sizes(2, 4, 1), Compat::kUpstream).ok()) << test.order;
  }
}

TEST(OrderTokens, RepeatedTokenOfSizeOne_UpstreamLetsItPass) {
  EXPECT_EQ(absl::StrJoin(*OrderTokens("tp-cp-cp-dp", Sizes(2, 4, 1), Compat::kUpstream), "-"),
            "tp-cp-dp-pp-ep-gtp_remat");
  EXPECT_EQ(RuleOf(OrderTokens("tp-cp-cp-dp", Sizes(2, 4, 1), Compat::kCareful).status()), "order_token_duplicate");
}

}  // namespace
}  // namespace muster::mesh
