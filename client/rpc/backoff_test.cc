#include "client/rpc/backoff.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Backoff, GrowsToItsMostWithJitter_AndStartsAnewAfterReset) {
  Backoff backoff(1, absl::Milliseconds(100), absl::Seconds(1));
  absl::Duration step = absl::Milliseconds(100);
  for (int i = 0; i < 10; ++i) {
    const absl::Duration wait = backoff.Next();
    EXPECT_GE(wait, step / 2);
    EXPECT_LE(wait, step);
    step = std::min(step * 2, absl::Seconds(1));
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next(), absl::Milliseconds(100));
}

TEST(Backoff, DifferentSeeds_SpreadOut) { EXPECT_NE(Backoff(1).Next(), Backoff(2).Next()); }

}  // namespace
}  // namespace muster
