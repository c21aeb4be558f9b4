#pragma once
// How long to wait before the next try: exponential with full jitter between half and the whole of the step, so that a
// crowd that lost its server together does not come back together (the "equal jitter" form of Brooker, "Exponential
// Backoff and Jitter", 2015).

#include <cstdint>
#include <random>

#include "absl/time/time.h"

namespace muster {

class Backoff {
 public:
  explicit Backoff(uint64_t seed, absl::Duration first = absl::Milliseconds(200),
                   absl::Duration most = absl::Seconds(10))
      : first_(first), most_(most), step_(first), random_(seed) {}

  absl::Duration Next() {
    const absl::Duration wait = step_ * (0.5 + 0.5 * std::uniform_real_distribution<double>(0, 1)(random_));
    step_ = std::min(step_ * 2, most_);
    return wait;
  }
  // After a success.
  void Reset() { step_ = first_; }

 private:
  const absl::Duration first_, most_;
  absl::Duration step_;
  std::mt19937_64 random_;
};

}  // namespace muster
