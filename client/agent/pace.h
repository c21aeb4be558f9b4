#pragma once
// How often and how patiently an agent calls, so that no lost call and no absence of the coordinator costs it the lease
// that the coordinator gives it.

#include <algorithm>

#include "absl/time/time.h"

namespace muster::agent {

struct Pace {
  // Of a long poll; and after how long its call counts as lost. A lost call and the next one fit into a lease.
  absl::Duration poll, poll_timeout;
  // The most that is waited between two tries, and for a connection at each: together less than half a lease, as a
  // restarted coordinator gives every node one lease from its start.
  absl::Duration longest_wait, connecting;
};

inline Pace PaceOf(absl::Duration lease) {
  Pace pace;
  pace.poll = std::clamp(lease / 3, absl::Milliseconds(100), absl::Seconds(20));
  pace.poll_timeout = pace.poll + std::clamp(lease / 6, absl::Milliseconds(100), absl::Seconds(5));
  pace.longest_wait = std::clamp(lease / 4, absl::Milliseconds(100), absl::Seconds(10));
  pace.connecting = std::clamp(lease / 8, absl::Milliseconds(50), absl::Seconds(1));
  return pace;
}

}  // namespace muster::agent
