#include "lib/placement/bin_cover.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace muster::placement {
namespace {

// By trying every bin, or none, for every item.
bool Possible(const std::vector<int32_t>& capacities, size_t item, int32_t demand, std::vector<int32_t>& sums) {
  if (std::all_of(sums.begin(), sums.end(), [&](int32_t sum) { return sum >= demand; })) return true;
  if (item == capacities.size()) return false;
  for (int32_t& sum : sums) {
    sum += capacities[item];
    const bool found = Possible(capacities, item + 1, demand, sums);
    sum -= capacities[item];
    if (found) return true;
  }
  return Possible(capacities, item + 1, demand, sums);
}

TEST(CoverBins, SmallCases_AgreeWithTryingEverything) {
  std::mt19937 random(3);
  int yes = 0;
  int no = 0;
  for (int round = 0; round < 10'000; ++round) {
    SCOPED_TRACE(round);
    std::vector<int32_t> capacities(1 + random() % 6);
    for (int32_t& capacity : capacities) capacity = static_cast<int32_t>(random() % 7);
    const auto bins = static_cast<int32_t>(1 + random() % 3);
    const auto demand = static_cast<int32_t>(1 + random() % 9);
    const BinCover cover = CoverBins(capacities, bins, demand);
    std::vector<int32_t> sums(bins);
    ASSERT_EQ(cover.covered == Covered::kYes, Possible(capacities, 0, demand, sums));
    if (cover.covered != Covered::kYes) {
      ASSERT_EQ(cover.covered, Covered::kNo);
      ++no;
      continue;
    }
    ++yes;
    ASSERT_EQ(static_cast<int32_t>(cover.bins.size()), bins);
    std::vector<bool> taken(capacities.size());
    for (const std::vector<size_t>& bin : cover.bins) {
      int32_t sum = 0;
      for (const size_t item : bin) {
        ASSERT_FALSE(taken[item]);
        taken[item] = true;
        sum += capacities[item];
      }
      ASSERT_GE(sum, demand);
    }
  }
  EXPECT_GT(yes, 1'000);
  EXPECT_GT(no, 1'000);
}

TEST(CoverBins, ManyDomains_TakeFewSteps) {
  const std::vector<int32_t> racks(600, 18);
  EXPECT_EQ(CoverBins(racks, 300, 32, 2'000).covered, Covered::kYes);
  EXPECT_EQ(CoverBins(racks, 301, 32, 2'000).covered, Covered::kNo);
}

TEST(CoverBins, StepsRunOut_IsSaid) {
  std::vector<int32_t> capacities;
  for (int32_t i = 0; i < 40; ++i) capacities.push_back(100 + 7 * i);
  const BinCover cover = CoverBins(capacities, 12, 789, 50);
  EXPECT_NE(cover.covered, Covered::kYes);
}

}  // namespace
}  // namespace muster::placement
