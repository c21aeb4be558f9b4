#include "server/core/job_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/errors.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

TEST(JobBudgetTest, Weight_GrowsWithMembersAndWithThePermutationThatEachIsHanded) {
  v1::JobSpec spec;
  spec.set_members(1000);
  const int64_t plain = WeightOf(spec);
  EXPECT_GE(plain, 1000 * 1024);
  for (int i = 0; i < 8000; ++i) spec.mutable_mesh()->add_permutation(i);
  EXPECT_GE(WeightOf(spec), plain + 1000 * 8000 * 2);
}

TEST(JobBudgetTest, Weight_OfTheLargestSpec_DoesNotOverflow) {
  v1::JobSpec spec;
  spec.set_members(1'000'000);
  for (int i = 0; i < 5'000'000; ++i) spec.mutable_mesh()->add_permutation(i);
  EXPECT_GT(WeightOf(spec), int64_t{15'000'000} * 1'000'000);
}

TEST(JobBudgetTest, OneNamespace_HasHalfAndLeavesTheRestToOthers) {
  JobBudget budget(100 * kMiB);
  EXPECT_TRUE(budget.Room("a", 50 * kMiB).ok());
  budget.Take("a", 40 * kMiB);
  const absl::Status refused = budget.Room("a", 11 * kMiB);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(refused.message()),
      HasSubstr("unfinished jobs of namespace a may take 40.0 MiB; with this one's 11.0 MiB they would pass the "
                "limit of 50.0 MiB; cancel jobs"));
  EXPECT_THAT(DetailOf(refused)->way_out(), HasSubstr("--max-job-bytes"));
  EXPECT_TRUE(budget.Room("b", 50 * kMiB).ok());
  budget.Take("b", 50 * kMiB);
  EXPECT_THAT(std::string(budget.Room("c", 11 * kMiB).message()), HasSubstr("of all namespaces may take 90.0 MiB"));
}

TEST(JobBudgetTest, WhatIsReturned_MayBeTakenAgain) {
  JobBudget budget(100 * kMiB);
  budget.Take("a", 50 * kMiB);
  EXPECT_FALSE(budget.Room("a", 1).ok());
  budget.Return("a", 50 * kMiB);
  EXPECT_TRUE(budget.Room("a", 50 * kMiB).ok());
  EXPECT_EQ(budget.used(), 0);
}

}  // namespace
}  // namespace muster::core
