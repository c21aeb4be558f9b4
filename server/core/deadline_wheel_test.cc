#include "server/core/deadline_wheel.h"

#include <gtest/gtest.h>

namespace muster::core {
namespace {

TEST(DeadlineWheel, NeverEarlyAndAtMostOneWidthLate) {
  DeadlineWheel<int> wheel(absl::Seconds(1));
  const absl::Time start = absl::FromUnixMillis(1'800'000'000'300);
  wheel.Add(start + absl::Seconds(2), 1);
  wheel.Add(start + absl::Milliseconds(2500), 2);
  EXPECT_TRUE(wheel.Due(start + absl::Milliseconds(1999)).empty());
  EXPECT_TRUE(wheel.Due(start + absl::Seconds(2)).empty());
  EXPECT_EQ(wheel.Due(wheel.Next()), std::vector<int>({1, 2}));
  EXPECT_EQ(wheel.Next(), absl::InfiniteFuture());
}

TEST(DeadlineWheel, ManyKeys_ComeInOrderOfBuckets) {
  DeadlineWheel<int> wheel(absl::Milliseconds(100));
  const absl::Time start = absl::FromUnixSeconds(1'800'000'000);
  for (int i = 0; i < 100; ++i) wheel.Add(start + absl::Seconds(100 - i), i);
  const std::vector<int> due = wheel.Due(start + absl::Seconds(101));
  ASSERT_EQ(due.size(), 100u);
  EXPECT_EQ(due.front(), 99);
  EXPECT_EQ(due.back(), 0);
}

}  // namespace
}  // namespace muster::core
