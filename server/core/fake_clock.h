#pragma once
// Time that moves when a test says so.

#include <atomic>

#include "absl/time/time.h"
#include "server/core/clock.h"

namespace muster::core {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(absl::Time start = absl::FromUnixSeconds(1'800'000'000)) : now_(absl::ToUnixNanos(start)) {}
  absl::Time Now() const override { return absl::FromUnixNanos(now_.load()); }
  void Advance(absl::Duration by) { now_.fetch_add(absl::ToInt64Nanoseconds(by)); }

 private:
  std::atomic<int64_t> now_;
};

}  // namespace muster::core
