#include "lib/base/proto_time.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(ProtoTime, Durations_SurviveTheRoundTrip) {
  for (absl::Duration d : {absl::ZeroDuration(), absl::Seconds(90), absl::Nanoseconds(-1), absl::Milliseconds(-2500)}) {
    EXPECT_EQ(FromProto(ToProto(d)), d);
  }
}

TEST(ProtoTime, NegativeDuration_HasBothFieldsNegative) {
  EXPECT_EQ(ToProto(absl::Milliseconds(-1500)).seconds(), -1);
  EXPECT_EQ(ToProto(absl::Milliseconds(-1500)).nanos(), -500000000);
}

TEST(ProtoTime, Times_SurviveTheRoundTrip) {
  for (absl::Time t : {absl::UnixEpoch(), absl::FromUnixMillis(1700000000123), absl::FromUnixMillis(-1)}) {
    EXPECT_EQ(FromProto(ToProto(t)), t);
    EXPECT_GE(ToProto(t).nanos(), 0);
  }
}

TEST(ProtoTime, InfiniteValues_AreClampedToWhatAMessageHolds) {
  EXPECT_EQ(ToProto(absl::InfiniteDuration()).seconds(), 315576000000);
  EXPECT_EQ(ToProto(-absl::InfiniteDuration()).seconds(), -315576000000);
  EXPECT_EQ(ToProto(absl::InfiniteFuture()).seconds(), 253402300799);
  EXPECT_EQ(ToProto(absl::InfinitePast()).seconds(), -62135596800);
}

}  // namespace
}  // namespace muster
