#pragma once
// Several threads put, one takes: what lets `muster exec` be one sequence of events.

#include <deque>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"

namespace muster::worker {

template <typename T>
class Mailbox {
 public:
  void Put(T item) {
    MutexLock lock(&mu_);
    items_.push_back(std::move(item));
    put_.NotifyAll();
  }
  // nullopt: nothing came before `deadline`.
  std::optional<T> Take(absl::Time deadline) {
    MutexLock lock(&mu_);
    while (items_.empty()) {
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) return std::nullopt;
      if (deadline == absl::InfiniteFuture()) {
        put_.Wait(&mu_);
      } else {
        put_.WaitFor(&mu_, absl::ToChronoNanoseconds(left));
      }
    }
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  Mutex mu_;
  CondVar put_;
  std::deque<T> items_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::worker
