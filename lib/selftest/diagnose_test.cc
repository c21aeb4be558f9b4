#include "lib/selftest/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace muster::selftest {
namespace {

PairResult Good(int a, int b) { return {a, b, {Seen::kGood}}; }
PairResult Bad(int a, int b) { return {a, b, {Seen::kBad}}; }

std::set<int> NodesOf(const std::vector<Diagnosis::Culprit>& culprits) {
  std::set<int> nodes;
  for (const auto& c : culprits) nodes.insert(c.node);
  return nodes;
}

struct Case {
  const char* name;
  std::vector<PairResult> results;
  std::set<int> culprits, suspects;
  size_t links = 0, open_links = 0;
};

class DiagnoseCase : public testing::TestWithParam<Case> {};

TEST_P(DiagnoseCase, FindsExactlyThese) {
  const Case& c = GetParam();
  std::vector<PairResult> results = c.results;
  for (size_t i = 0; i < results.size(); ++i) results[i].round = static_cast<int>(i);
  for (int turn = 0; turn < 2; ++turn) {
    const Diagnosis d = Diagnose({8, 1, {}}, results);
    EXPECT_EQ(NodesOf(d.culprits), c.culprits);
    EXPECT_EQ(d.suspects, c.suspects);
    EXPECT_EQ(d.links.size(), c.links);
    EXPECT_EQ(d.open_links.size(), c.open_links);
    std::reverse(results.begin(), results.end());  // the order decides nothing
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DiagnoseCase,
    testing::Values(
        Case{"Nothing", {}, {}, {}}, Case{"AllGood", {Good(0, 1), Good(2, 3)}, {}, {}},
        Case{"OneBadPair_MakesTwoSuspects", {Bad(0, 1), Good(2, 3)}, {}, {0, 1}},
        Case{"OnePartnerThreeTimes_AccusesNobody", {Bad(0, 1), Bad(0, 1), Bad(0, 1), Good(1, 2), Good(3, 4)}, {}, {0}},
        Case{"TwoPartners_AreTooFewWhereThereAreMore",
             {Bad(0, 1), Bad(0, 2), Bad(0, 2), Good(1, 2), Good(3, 4)},
             {},
             {0}},
        Case{"ThreeClearedPartners", {Bad(0, 1), Bad(0, 2), Bad(0, 3), Good(1, 2), Good(3, 4)}, {0}, {}},
        Case{"AllPartnersThereAre", {Bad(0, 1), Bad(0, 2), Bad(0, 2), Good(1, 2)}, {0}, {}},
        Case{"UnclearedPartners_CountForNothing", {Bad(0, 1), Bad(0, 2), Bad(0, 3), Good(4, 5)}, {}, {0, 1, 2, 3}},
        Case{"OneGoodResult_Clears",
             {Bad(0, 1), Bad(0, 2), Bad(0, 3), Good(0, 4), Good(1, 2), Good(2, 3)},
             {},
             {},
             0,
             3},
        Case{"TwoCulpritsTogether",
             {Bad(0, 1), Good(2, 3), Good(4, 5), Bad(0, 2), Bad(0, 3), Bad(0, 4), Bad(1, 3), Bad(1, 4), Bad(1, 2)},
             {0, 1},
             {}},
        Case{"LinkBetweenTwoGoodNodes",
             {Bad(0, 1), Bad(0, 1), Bad(0, 1), Bad(0, 1), Good(0, 2), Good(0, 3), Good(1, 4), Good(1, 5)},
             {},
             {},
             1},
        Case{"LinkWithTooFewWitnesses",
             {Bad(0, 1), Bad(0, 1), Bad(0, 1), Bad(0, 1), Good(0, 2), Good(1, 2)},
             {},
             {},
             0,
             0},
        Case{"PairThatIsGoodAgain", {Bad(0, 1), Good(0, 1), Good(0, 2), Good(1, 3)}, {}, {}},
        Case{"UnknownSaysNothing", {{0, 1, {Seen::kUnknown}}, {2, 3, {}}}, {}, {}},
        Case{"StrangersAreIgnored", {Bad(0, 9), Bad(-1, 2), Bad(3, 3)}, {}, {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Diagnose, BadInOneRoundOnly_MayHavePassed) {
  std::vector<PairResult> results = {Bad(0, 1), Bad(0, 2), Bad(0, 3), Good(1, 2), Good(3, 4)};
  EXPECT_TRUE(Diagnose({8, 1, {}}, results).culprits.empty());
  EXPECT_EQ(Diagnose({8, 1, {}}, results).suspects, std::set<int>{0});
  results[0].round = 1;
  EXPECT_EQ(NodesOf(Diagnose({8, 1, {}}, results).culprits), std::set<int>{0});
}

TEST(Diagnose, OneRailOfANode_IsNamed) {
  const auto pair = [](int a, int b, Seen second) {
    return PairResult{a, b, {Seen::kGood, second, Seen::kGood}, /*round=*/b};
  };
  const Diagnosis d = Diagnose({6, 3, {}}, {pair(0, 1, Seen::kBad), pair(0, 2, Seen::kBad), pair(0, 3, Seen::kBad),
                                            pair(1, 2, Seen::kGood), pair(3, 4, Seen::kGood), pair(4, 5, Seen::kGood)});
  ASSERT_EQ(d.culprits.size(), 1u);
  EXPECT_EQ(d.culprits[0].rails, std::set<int>{1});
  EXPECT_EQ(d.culprits[0].partners, (std::set<int>{1, 2, 3}));
}

TEST(Diagnose, RailBadEverywhere_IsTheRailAndNoNode) {
  const PairResult r01{0, 1, {Seen::kGood, Seen::kBad}}, r23{2, 3, {Seen::kGood, Seen::kBad}},
      r45{4, 5, {Seen::kGood, Seen::kBad}};
  const Diagnosis d = Diagnose({6, 2, {}}, {r01, r23, r45});
  EXPECT_EQ(d.rails, std::set<int>{1});
  EXPECT_FALSE(d.Open());
  EXPECT_TRUE(d.culprits.empty());
}

TEST(Diagnose, BadAcrossABorderAndGoodInside_IsTheDomain) {
  const std::vector<std::vector<int>> racks = {{0, 0, 1, 1, 2, 2}};
  const Diagnosis d = Diagnose({6, 1, racks}, {Good(0, 1), Bad(0, 2), Bad(1, 4), Bad(0, 5), Good(2, 4), Good(3, 5)});
  ASSERT_EQ(d.domains.size(), 1u);
  EXPECT_EQ(d.domains[0].id, 0);
  EXPECT_EQ(d.domains[0].nodes, (std::set<int>{0, 1}));
  EXPECT_EQ(d.domains[0].other, -1);
  EXPECT_TRUE(d.culprits.empty());
  EXPECT_FALSE(d.Open());
}

TEST(Diagnose, BorderOfTwoDomains_NamesBoth) {
  const std::vector<std::vector<int>> racks = {{0, 0, 1, 1}};
  const Diagnosis d = Diagnose({4, 1, racks}, {Good(0, 1), Good(2, 3), Bad(0, 2), Bad(1, 3), Bad(0, 3)});
  ASSERT_EQ(d.domains.size(), 1u);
  EXPECT_EQ(d.domains[0].other, 1);
}

TEST(Diagnose, OneBadNode_IsNoDomain) {
  const std::vector<std::vector<int>> racks = {{0, 0, 1, 1, 2, 2}};
  std::vector<PairResult> results = {Bad(0, 2), Bad(0, 4), Bad(0, 5), Bad(0, 1), Good(1, 3), Good(2, 4), Good(3, 5)};
  results[0].round = 1;
  const Diagnosis d = Diagnose({6, 1, racks}, results);
  EXPECT_TRUE(d.domains.empty());
  EXPECT_EQ(NodesOf(d.culprits), std::set<int>{0});
}

}  // namespace
}  // namespace muster::selftest
