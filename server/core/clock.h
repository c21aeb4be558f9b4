#pragma once
// What time it is, injected: nobody in the core asks the system.

#include "absl/time/time.h"

namespace muster::core {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back. Any thread.
  virtual absl::Time Now() const = 0;
};

}  // namespace muster::core
