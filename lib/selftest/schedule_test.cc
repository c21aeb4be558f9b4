#include "lib/selftest/schedule.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "lib/base/proto_time.h"

namespace muster::selftest {
namespace {

TEST(Schedule, EveryStepHasItsShare_AndAllAreOverBeforeTheRound) {
  v1::TestPlan plan;
  *plan.mutable_deadline() = ToProto(absl::Seconds(60));
  for (int i = 0; i < 10; ++i) plan.add_steps();
  Schedule(plan);
  EXPECT_EQ(FromProto(plan.steps(0).deadline()), absl::Seconds(21));
  EXPECT_EQ(FromProto(plan.steps(9).deadline()), absl::Seconds(48));
  for (int i = 1; i < 10; ++i) {
    EXPECT_EQ(FromProto(plan.steps(i).deadline()) - FromProto(plan.steps(i - 1).deadline()), absl::Seconds(3)) << i;
  }
}

TEST(Schedule, WithoutSteps_IsNothing) {
  v1::TestPlan plan;
  Schedule(plan);
  EXPECT_EQ(plan.steps_size(), 0);
}

}  // namespace
}  // namespace muster::selftest
