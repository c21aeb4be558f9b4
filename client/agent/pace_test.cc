#include "client/agent/pace.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

class EveryLease : public testing::TestWithParam<absl::Duration> {};

// From the shortest that musterd takes (--agent-lease) on.
INSTANTIATE_TEST_SUITE_P(Pace, EveryLease,
                         testing::Values(absl::Seconds(1), absl::Seconds(6), absl::Seconds(10), absl::Seconds(30),
                                         absl::Minutes(10)));

TEST_P(EveryLease, CoordinatorBackAfterAnAbsence_IsCalledWithinTheLeaseItGives) {
  const Pace pace = PaceOf(GetParam());
  EXPECT_LT(pace.longest_wait + pace.connecting, GetParam() / 2);
}

TEST_P(EveryLease, OneLostPoll_LeavesTimeForTheNext) {
  const Pace pace = PaceOf(GetParam());
  EXPECT_GT(pace.poll_timeout, pace.poll);
  EXPECT_LT(pace.poll_timeout + pace.longest_wait, GetParam());
}

TEST(Pace, LongLease_AbsentCoordinatorIsStillTriedEveryTenSeconds) {
  EXPECT_EQ(PaceOf(absl::Hours(10)).longest_wait, absl::Seconds(10));
}

}  // namespace
}  // namespace muster::agent
