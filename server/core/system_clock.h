#pragma once
// The clock of a running server: wall time at the start plus what a steady clock has counted since, so that a jump of
// the wall clock moves no deadline.

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/core/clock.h"

namespace muster::core {

class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return wall_ + absl::FromChrono(std::chrono::steady_clock::now() - steady_); }

 private:
  const absl::Time wall_ = absl::Now();
  const std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
};

}  // namespace muster::core
