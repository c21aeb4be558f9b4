#include "lib/selftest/next_pairs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lib/selftest/matchings.h"
#include "lib/selftest/pair_gate.h"

namespace muster::selftest {
namespace {

std::vector<PairResult> Screened(int nodes, const std::set<int>& bad) {
  std::vector<PairResult> results;
  for (const auto& [a, b] : Matching(nodes, 0)) {
    results.push_back({a, b, {bad.count(a) + bad.count(b) > 0 ? Seen::kBad : Seen::kGood}});
  }
  return results;
}

std::vector<PairStep> NextOf(const Fabric& fabric, const std::vector<PairResult>& results) {
  return NextPairs(fabric, results, Diagnose(fabric, results));
}

TEST(NextPairs, NothingOpen_AsksNothing) { EXPECT_TRUE(NextOf({8, 1, {}}, Screened(8, {})).empty()); }

TEST(NextPairs, NobodyCleared_AsksNothing) { EXPECT_TRUE(NextOf({4, 1, {}}, Screened(4, {0, 1, 2, 3})).empty()); }

TEST(NextPairs, Suspects_MeetThreeClearedPartnersInDisjointSteps) {
  const auto results = Screened(32, {3, 17});
  const Diagnosis diagnosis = Diagnose({32, 1, {}}, results);
  std::map<int, std::set<int>> partners;
  for (const PairStep& step : NextPairs({32, 1, {}}, results, diagnosis)) {
    std::set<int> ends;
    int controls = 0;
    for (const auto& [a, b] : step) {
      EXPECT_LT(a, b);
      EXPECT_TRUE(ends.insert(a).second && ends.insert(b).second);
      controls += diagnosis.good.count(a) * diagnosis.good.count(b);
      if (diagnosis.good.count(b) > 0) partners[a].insert(b);
      if (diagnosis.good.count(a) > 0) partners[b].insert(a);
    }
    EXPECT_EQ(controls, 3);
  }
  for (int suspect : diagnosis.suspects) EXPECT_EQ(partners[suspect].size(), 3u) << suspect;
}

TEST(NextPairs, MoreSuspectsThanCleared_TakeMoreStepsButBounded) {
  std::set<int> bad;
  for (int n = 0; n < 100; n += 2) bad.insert(n);
  const auto steps = NextOf({100, 1, {}}, Screened(100, bad));
  EXPECT_LE(steps.size(), 16u);
}

TEST(NextPairs, FirstPartner_IsANeighbourAndTheOthersAreStrangers) {
  std::vector<std::vector<int>> racks(1);
  for (int n = 0; n < 16; ++n) racks[0].push_back(n / 4);
  const Fabric fabric{16, 1, racks};
  const auto results = Screened(16, {0});
  const Diagnosis diagnosis = Diagnose(fabric, results);
  const auto steps = NextPairs(fabric, results, diagnosis);
  for (size_t s = 0; s < 3; ++s) {
    for (const auto& [a, b] : steps[s]) {
      if (a != 0) continue;
      EXPECT_EQ(b / 4 == 0, s == 0) << "step " << s << " with " << b;
    }
  }
}

TEST(NextPairs, OpenLink_IsTestedUntilFourTimes) {
  const std::vector<PairResult> results = {{0, 1, {Seen::kBad}}, {0, 2, {Seen::kGood}}, {1, 3, {Seen::kGood}}};
  int again = 0;
  for (const PairStep& step : NextOf({4, 1, {}}, results))
    again += static_cast<int>(std::count(step.begin(), step.end(), PairTest{0, 1}));
  EXPECT_EQ(again, 3);
}

TEST(PairReference, ThreeControls_OutweighEarlierRounds) {
  EXPECT_EQ(PairReference({2, 3, 4}, {9, 9, 9, 9}), 3);
  EXPECT_EQ(PairReference({2}, {9, 9}), 9);
  EXPECT_EQ(PairReference({}, {}), 0);
  EXPECT_EQ(MedianOf({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(ScreenReference({1, 1, 1, 9}), 1);
  EXPECT_EQ(ScreenReference({1, 2}), 2);
  EXPECT_EQ(ScreenReference({1, 1, 2}), 2);
}

}  // namespace
}  // namespace muster::selftest
