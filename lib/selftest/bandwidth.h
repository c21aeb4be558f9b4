#pragma once
// Bandwidth by nccl-tests' definitions (src/*.cu, GetBw): algbw = S / t, busbw = algbw · factor, GB = 1e9 bytes.

#include <cstdint>

#include "absl/types/optional.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct Bandwidth {
  double algbw_gbps = 0;
  double busbw_gbps = 0;
};

// 2(n-1)/n for an all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for send/recv.
// Precondition: n >= 2.
double BusFactor(v1::Collective collective, int64_t n);

// `bytes` is S of TestStep. nullopt, which reads "not measured" and never 0: n < 2, no bytes, a time that is not a
// positive number, an unknown collective.
absl::optional<Bandwidth> BandwidthOf(v1::Collective collective, int64_t n, int64_t bytes, double time_us);

}  // namespace muster::selftest
