#include "lib/selftest/iterations.h"

#include <gtest/gtest.h>

#include "lib/base/proto_time.h"

namespace muster::selftest {
namespace {

struct Row {
  const char* name;
  int32_t asked;
  absl::Duration budget, once;
  int32_t iterations;
};

TEST(Iterations, AreCutToTheBudget_ButNotBelowFive) {
  const Row rows[] = {
      {"no budget", 20, absl::ZeroDuration(), absl::Seconds(9), 20},
      {"all fit", 20, absl::Seconds(1), absl::Milliseconds(50), 20},
      {"half fit", 20, absl::Seconds(1), absl::Milliseconds(100), 10},
      {"a part more doesn't", 20, absl::Milliseconds(1099), absl::Milliseconds(100), 10},
      {"not even five", 20, absl::Seconds(1), absl::Seconds(1), 5},
      {"longer than any budget", 20, absl::Seconds(1), absl::InfiniteDuration(), 5},
      {"fewer than five are asked", 3, absl::Seconds(1), absl::Seconds(1), 3},
      {"too short to measure", 20, absl::Seconds(1), absl::ZeroDuration(), 20},
      {"a clock that went back", 20, absl::Seconds(1), absl::Seconds(-1), 20},
      {"many", 100000, absl::Hours(1), absl::Nanoseconds(1), 100000},
  };
  for (const Row& row : rows) {
    v1::TestStep step;
    step.set_iterations(row.asked);
    if (row.budget > absl::ZeroDuration()) *step.mutable_budget() = ToProto(row.budget);
    EXPECT_EQ(IterationsWithin(step, row.once), row.iterations) << row.name;
  }
}

}  // namespace
}  // namespace muster::selftest
