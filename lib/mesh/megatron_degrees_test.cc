#include "lib/mesh/megatron_degrees.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

struct Bad {
  const char* name;
  int64_t world;
  MegatronSpec spec;
  std::string rule;
  std::string message;
};

MegatronSpec Order(std::string order, MegatronSpec spec) {
  spec.order = std::move(order);
  return spec;
}

MegatronSpec Sharp(absl::optional<std::string> group, bool on = true, int64_t instances = 1) {
  MegatronSpec spec;
  spec.use_sharp = on;
  spec.sharp_group = std::move(group);
  spec.num_distopt = instances;
  return spec;
}

MegatronSpec Hcp(int64_t cp, std::vector<int64_t> hcp) {
  MegatronSpec spec;
  spec.cp = cp;
  spec.hcp = std::move(hcp);
  return spec;
}

MegatronSpec Instances(MegatronSpec spec, int64_t instances) {
  spec.num_distopt = instances;
  return spec;
}

MegatronSpec With(void (*change)(MegatronSpec&)) {
  MegatronSpec spec;
  change(spec);
  return spec;
}

// In the order of the checks. Refused alike by careful and upstream.
std::vector<Bad> Table() {
  return {
      {"world_zero", 0, {}, "zero_size", "world: 0 is not at least 1"},
      {"world_negative", -8, {}, "zero_size", "world: -8"},
      {"sharp_off", 8, Sharp("dp", false), "sharp_group_without_sharp", "use_sharp is off"},
      {"sharp_unknown", 8, Sharp("tp"), "sharp_group_unknown", "sharp_group: 'tp' is neither dp nor dp_replica"},
      {"sharp_hostile", 8, Sharp("<b>\n\xff"), "sharp_group_unknown", "'<b>\\n\\xff'"},
      {"sharp_empty", 8, Sharp(""), "sharp_group_unknown", "''"},
      {"sharp_replica", 8, Sharp("dp_replica"), "sharp_replica_needs_distopt", "num_distopt above 1, is 1"},
      {"gtp_instances", 16, Instances({.tp = 2, .gtp = 2}, 2), "gtp_needs_one_distopt_instance", "num_distopt: 2"},
      {"tp_zero", 8, {.tp = 0}, "zero_size", "tp: 0 is not at least 1"},
      {"tp_negative", 8, {.tp = -2}, "zero_size", "tp: -2"},
      {"cp_min", 8, {.cp = kMin}, "zero_size", "cp: -9223372036854775808"},
      {"gtp_zero", 8, {.gtp = 0}, "zero_size", "gtp: 0"},
      {"dense",
       96,
       {.tp = 8, .cp = 2, .pp = 4},
       "dense_grid_divides_world",
       "tp 8 × cp 2 × pp 4 = 64 does not divide 96 workers. Nearest worlds: 64, 128"},
      {"dense_too_few",
       4,
       {.tp = 8},
       "dense_grid_divides_world",
       "tp 8 × cp 1 × pp 1 = 8 does not divide 4 workers. Nearest world: 8"},
      {"dense_gtp", 24, {.tp = 4, .gtp = 5}, "dense_grid_divides_world", "tp 4 × cp 1 × pp 1 × gtp 5 = 20"},
      {"dense_overflow", 96, {.tp = kMax, .pp = kMax}, "dense_grid_divides_world", "passes 2^63-1; 96 workers"},
      {"dense_huge_world", kMax, {.tp = kMax - 1}, "dense_grid_divides_world", "Nearest worlds: 9223372036854775806"},
      {"vpp", 8, With([](MegatronSpec& s) { s.vpp = 2; }), "virtual_pp_needs_pp", "vpp: 2 with pp 1"},
      {"order_empty", 4, Order("", {}), "axis_missing_from_order", "order: 'gtp_remat-' does not name dp"},
      {"order_without_pp", 16, Order("tp-cp-ep-dp", {.tp = 2, .pp = 2}), "axis_missing_from_order", "name pp"},
      {"order_unknown", 16, Order("tp-cp-ep-dp-pp-sp", {.tp = 2}), "order_token_unknown", "'sp'"},
      {"order_duplicate", 16, Order("tp-cp-tp-ep-dp-pp", {.tp = 2}), "order_token_duplicate", "tp twice"},
      {"ep_zero", 8, {.ep = 0}, "zero_size", "ep: 0"},
      {"etp_zero", 8, {.etp = 0}, "zero_size", "etp: 0"},
      {"egtp_negative", 8, {.egtp = -1}, "zero_size", "egtp: -1"},
      {"expert",
       64,
       {.tp = 4, .cp = 2, .ep = 5, .pp = 2},
       "expert_grid_divides_world",
       "etp 4 × ep 5 × pp 2 = 40 does not divide 64 workers. Nearest world: 80"},
      {"expert_overflow", 64, {.ep = kMax, .etp = 3}, "expert_grid_divides_world", "passes 2^63-1"},
      {"order_without_ep", 16, Order("tp-cp-dp-pp", {.tp = 2, .ep = 2}), "axis_missing_from_order", "name ep"},
      {"pp_not_last", 32, Order("tp-cp-ep-pp-dp", {.tp = 2, .cp = 2, .pp = 2}), "pp_not_last_needs_equal_dp",
       "dp 4 and expert dp 8 must be equal"},
      {"capitals_pp_last", 16, Order("TP-CP-EP-DP-PP", {.tp = 2, .cp = 2, .pp = 2}), "pp_not_last_needs_equal_dp",
       "Write it in lower case"},
      {"pp_between", 32, Order("tp-cp-pp-ep-dp", {.tp = 2, .cp = 2, .ep = 2, .pp = 2, .etp = 2}),
       "pp_groups_must_agree", "4 ranks apart in the dense grid, 2 in the expert grid"},
      {"instances_zero", 8, Instances({}, 0), "zero_size", "num_distopt: 0"},
      {"instances_negative", 8, Instances({}, -2), "zero_size", "num_distopt: -2"},
      {"instances_dense", 12, Instances({.tp = 2}, 4), "dp_cp_divisible_by_distopt", "does not divide dp 6 × cp 1 = 6"},
      {"hybrid_odd", 6, With([](MegatronSpec& s) { s.tp = 2, s.hybrid_cp = true; }), "hybrid_cp_needs_even_group",
       "dp 3 × cp 1 = 3 is odd"},
      {"hybrid_alone", 1, With([](MegatronSpec& s) { s.hybrid_cp = true; }), "hybrid_cp_needs_even_group",
       "= 1 is odd"},
      {"hcp", 16, Hcp(8, {2, 2}), "hcp_product_equals_cp", "hcp: 2 × 2 is not cp 8"},
      {"hcp_without_cp", 16, Hcp(1, {2}), "hcp_product_equals_cp", "hcp: 2 is not cp 1"},
      {"hcp_negative", 16, Hcp(4, {-2, -2}), "hcp_product_equals_cp", "-2 × -2"},
      {"hcp_zero", 16, Hcp(4, {0}), "hcp_product_equals_cp", "hcp: 0"},
      {"hcp_overflow", 16, Hcp(4, {kMax, kMax, 4}), "hcp_product_equals_cp", "is not cp 4"},
      {"hcp_endless", 16, Hcp(1, std::vector<int64_t>(100000, 1)), "hcp_too_deep", "100000 levels"},
      {"pp_backend", 8, With([](MegatronSpec& s) { s.pp = 2, s.pp_backend = "gloo"; }), "pp_backend_unknown",
       "'gloo' is neither nccl nor ucc"},
      {"instances_expert", 16, Instances({.tp = 2, .ep = 4, .etp = 2}, 4), "expert_dp_divisible_by_distopt",
       "num_distopt: 4 does not divide expert dp = 2"},
      {"offset_negative", 8, With([](MegatronSpec& s) { s.rank_offset = -1; }), "rank_offset_negative", "-1"},
      {"offset_too_big", 8, With([](MegatronSpec& s) { s.rank_offset = kMax; }), "grid_too_big", "counted from rank"},
  };
}

class BadSpec : public ::testing::TestWithParam<Bad> {};

TEST_P(BadSpec, IsRefusedByRuleWithFieldAndNumbers) {
  const Bad& bad = GetParam();
  for (Compat compat : {Compat::kCareful, Compat::kUpstream}) {
    const auto degrees = CheckMegatronSpec(bad.spec, compat, bad.world);
    EXPECT_EQ(degrees.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(RuleOf(degrees.status()), bad.rule);
    EXPECT_THAT(std::string(degrees.status().message()), HasSubstr(bad.message));
    EXPECT_LT(degrees.status().message().size(), 400u);
  }
}

INSTANTIATE_TEST_SUITE_P(Megatron, BadSpec, ::testing::ValuesIn(Table()),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(CheckMegatronSpec, FirstBrokenRule_IsTheOneThatUpstreamReports) {
  MegatronSpec spec = Sharp("dp", false);
  spec.tp = 0;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 8).status()), "sharp_group_without_sharp");
  spec = {.tp = 3, .ep = 5};
  spec.vpp = 2;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 8).status()), "dense_grid_divides_world");
  spec.tp = 2;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 8).status()), "virtual_pp_needs_pp");
  spec.vpp.reset();
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 8).status()), "expert_grid_divides_world");
}

TEST(CheckMegatronSpec, Seed256MixtureOfExperts_Degrees) {
  const MegatronSpec spec = {.tp = 4, .cp = 2, .ep = 64, .pp = 4, .etp = 1};
  const auto degrees = CheckMegatronSpec(spec, Compat::kCareful, 256);
  ASSERT_TRUE(degrees.ok()) << degrees.status();
  EXPECT_EQ(degrees->dp, 8);
  EXPECT_EQ(degrees->edp, 1);
  EXPECT_THAT(degrees->notes, IsEmpty());
}

TEST(CheckMegatronSpec, CareWhereUpstreamSlips) {
  // Capitals: harmless alone, refused where they would move gtp_remat to the front.
  MegatronSpec spec = Order("TP-CP-EP-DP-PP", {.tp = 2, .cp = 2});
  auto degrees = CheckMegatronSpec(spec, Compat::kCareful, 16);
  ASSERT_TRUE(degrees.ok()) << degrees.status();
  EXPECT_THAT(degrees->notes, ElementsAre(HasSubstr("capitals")));
  spec.gtp = 2;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kCareful, 16).status()), "order_not_lower_case");
  EXPECT_TRUE(CheckMegatronSpec(spec, Compat::kUpstream, 16).ok());

  // In-network reduction for dp: upstream fails at its own barrier.
  EXPECT_EQ(RuleOf(CheckMegatronSpec(Sharp(absl::nullopt), Compat::kUpstream, 8).status()), "upstream_defect_sharp_dp");
  degrees = CheckMegatronSpec(Sharp("dp"), Compat::kCareful, 8);
  ASSERT_TRUE(degrees.ok()) << degrees.status();
  EXPECT_THAT(degrees->notes, ElementsAre(HasSubstr("use_sharp for dp")));

  // An order that hides its missing tp behind gtp_remat.
  spec = Order("gtp_remat-cp-ep-dp-pp", {.tp = 2, .gtp = 2});
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kCareful, 16).status()), "axis_missing_from_order");
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 16).status()), "order_lacks_tp_unnoticed");
  spec.tp = 1;
  EXPECT_TRUE(CheckMegatronSpec(spec, Compat::kCareful, 16).ok());
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kUpstream, 16).status()), "axis_token_absent");

  // What only Megatron's launcher refuses.
  spec = {.pp = 2};
  spec.hybrid_cp = true;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kCareful, 16).status()), "hybrid_cp_needs_no_pipeline");
  EXPECT_TRUE(CheckMegatronSpec(spec, Compat::kUpstream, 16).ok());
  spec = {.pp = 2};
  spec.vpp = 0;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kCareful, 16).status()), "zero_size");
}

TEST(CheckMegatronSpec, GtpBeforeItsRevision_IsRefused) {
  MegatronSpec spec = {.gtp = 2};
  spec.revision = MegatronRevision::kBeforeGtp;
  EXPECT_EQ(RuleOf(CheckMegatronSpec(spec, Compat::kCareful, 16).status()), "gtp_needs_newer_revision");
}

}  // namespace
}  // namespace muster::mesh
