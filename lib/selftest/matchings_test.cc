#include "lib/selftest/matchings.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::selftest {
namespace {

TEST(Matching, AllRounds_HaveEachPairExactlyOnceAndDisjoint) {
  for (int n : {2, 3, 4, 5, 8, 31, 32}) {
    std::set<std::pair<int, int>> all;
    for (int round = 0; round < Matchings(n); ++round) {
      std::set<int> ends;
      const auto pairs = Matching(n, round);
      EXPECT_EQ(static_cast<int>(pairs.size()), n / 2);
      for (const auto& [a, b] : pairs) {
        EXPECT_LT(a, b);
        EXPECT_GE(a, 0);
        EXPECT_LT(b, n);
        EXPECT_TRUE(ends.insert(a).second && ends.insert(b).second) << n << " things, round " << round;
        EXPECT_TRUE(all.insert({a, b}).second) << "a pair twice";
      }
    }
    EXPECT_EQ(static_cast<int>(all.size()), n * (n - 1) / 2);
    EXPECT_EQ(Matching(n, Matchings(n)), Matching(n, 0));
  }
}

TEST(ScreenMatchings, LeaveNobodyUntested) {
  for (int n = 2; n < 40; ++n) {
    std::set<int> tested;
    for (int round = 0; round < ScreenMatchings(n); ++round) {
      for (const auto& [a, b] : Matching(n, round)) tested.insert({a, b});
    }
    EXPECT_EQ(static_cast<int>(tested.size()), n);
    EXPECT_LE(ScreenMatchings(n), Matchings(n));
  }
}

TEST(Matching, FewerThanTwo_HaveNone) {
  EXPECT_TRUE(Matching(0, 0).empty());
  EXPECT_TRUE(Matching(1, 3).empty());
  EXPECT_EQ(Matchings(1), 0);
}

}  // namespace
}  // namespace muster::selftest
