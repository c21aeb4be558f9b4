#include "lib/selftest/bandwidth.h"

#include <cmath>

namespace muster::selftest {

double BusFactor(v1::Collective collective, int64_t n) {
  const auto members = static_cast<double>(n);
  switch (collective) {
    case v1::ALL_REDUCE:
      return 2 * (members - 1) / members;
    case v1::ALL_GATHER:
    case v1::REDUCE_SCATTER:
    case v1::ALL_TO_ALL:
      return (members - 1) / members;
    default:
      return 1;
  }
}

absl::optional<Bandwidth> BandwidthOf(v1::Collective collective, int64_t n, int64_t bytes, double time_us) {
  if (n < 2 || bytes <= 0 || !std::isfinite(time_us) || time_us <= 0) return absl::nullopt;
  if (collective == v1::COLLECTIVE_UNSPECIFIED || !v1::Collective_IsValid(collective)) return absl::nullopt;
  Bandwidth bandwidth;
  bandwidth.algbw_gbps = static_cast<double>(bytes) / (time_us * 1e3);
  bandwidth.busbw_gbps = bandwidth.algbw_gbps * BusFactor(collective, n);
  return bandwidth;
}

}  // namespace muster::selftest
