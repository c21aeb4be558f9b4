#include "lib/selftest/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::selftest {
namespace {

TEST(Bandwidth, AllReduceOf1GiBIn5ms_IsWhatNcclTestsPrints) {
  const auto bw = BandwidthOf(v1::ALL_REDUCE, 8, int64_t{1} << 30, 5000);
  ASSERT_TRUE(bw.has_value());
  EXPECT_NEAR(bw->algbw_gbps, 214.748, 0.001);
  EXPECT_NEAR(bw->busbw_gbps, 375.809, 0.001);
}

TEST(Bandwidth, Factors_AreThoseOfNcclTests) {
  for (int64_t n : {2, 3, 4, 8, 64, 1024}) {
    const double share = static_cast<double>(n - 1) / static_cast<double>(n);
    EXPECT_DOUBLE_EQ(BusFactor(v1::ALL_REDUCE, n), 2 * share);
    for (v1::Collective c : {v1::ALL_GATHER, v1::REDUCE_SCATTER, v1::ALL_TO_ALL}) {
      EXPECT_DOUBLE_EQ(BusFactor(c, n), share);
    }
    for (v1::Collective c : {v1::SEND_RECV, v1::RING_SEND_RECV}) EXPECT_DOUBLE_EQ(BusFactor(c, n), 1);
  }
}

TEST(Bandwidth, WhatCannotBeMeasured_IsAbsentAndNotZero) {
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 1, 1024, 5).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 0, 1024, 5).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 2, 0, 5).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 2, 1024, 0).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 2, 1024, -1).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 2, 1024, NAN).has_value());
  EXPECT_FALSE(BandwidthOf(v1::ALL_REDUCE, 2, 1024, INFINITY).has_value());
  EXPECT_FALSE(BandwidthOf(v1::COLLECTIVE_UNSPECIFIED, 2, 1024, 5).has_value());
}

}  // namespace
}  // namespace muster::selftest
