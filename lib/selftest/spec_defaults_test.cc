#include "lib/selftest/spec_defaults.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::selftest {
namespace {

TEST(SpecDefaults, EmptySpec_IsAQuickGlooTest) {
  const v1::SelfTestSpec spec;
  EXPECT_EQ(BackendOf(spec), "gloo");
  EXPECT_DOUBLE_EQ(MinSiblingRatioOf(spec), 0.2);
  EXPECT_EQ(RoundDeadlineOf(spec), absl::Seconds(60));
  EXPECT_EQ(LadderOf(spec).bytes, std::vector<int64_t>{1 << 20});
}

TEST(SpecDefaults, Ratio_DependsOnTheBackendUnlessGiven) {
  v1::SelfTestSpec spec;
  spec.set_backend("nccl");
  EXPECT_DOUBLE_EQ(MinSiblingRatioOf(spec), 0.85);
  spec.set_min_sibling_ratio(0.5);
  EXPECT_DOUBLE_EQ(MinSiblingRatioOf(spec), 0.5);
  for (double nonsense : {1.5, -1.0, std::nan("")}) {
    spec.set_min_sibling_ratio(nonsense);
    EXPECT_DOUBLE_EQ(MinSiblingRatioOf(spec), 0.85);
  }
}

TEST(SpecDefaults, RoundsDeadline_IsTheOneAsked) {
  v1::SelfTestSpec spec;
  spec.set_profile(v1::SelfTestSpec::STANDARD);
  spec.mutable_deadline()->set_seconds(3);
  EXPECT_EQ(RoundDeadlineOf(spec), absl::Seconds(3));
}

}  // namespace
}  // namespace muster::selftest
