#pragma once
// Several threads put, one takes: what lets a program that many things happen to be one sequence of events.

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"

namespace muster {

// Thread-safe. First in, first out. Has no bound of its own: whoever puts must have one.
template <typename T>
class Mailbox {
 public:
  void Put(T item) {
    MutexLock lock(&mu_);
    items_.push_back(std::move(item));
    put_.NotifyAll();
  }

  // nullopt: nothing came before `deadline`. What is there is taken even if the deadline is past.
  std::optional<T> Take(absl::Time deadline) {
    MutexLock lock(&mu_);
    while (items_.empty()) {
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) return std::nullopt;
      put_.WaitFor(&mu_, absl::ToChronoNanoseconds(std::min(left, kLongestWait)));
    }
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  // So that no deadline overflows the system's clock.
  static constexpr absl::Duration kLongestWait = absl::Hours(1);

  Mutex mu_;
  CondVar put_;
  std::deque<T> items_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster
