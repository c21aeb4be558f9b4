#pragma once
// What happens to the agent, in order, for its one thread that decides.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "lib/base/mutex.h"
#include "lib/base/notification.h"
#include "proto/muster/v1/selftest.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::agent {

// Names a child process within this agent's life; never used twice.
using ChildId = uint64_t;

struct TaskArrived {
  v1::Task task;
  // Notified when the order is durable (or refused): only then may it count as seen. Shared, as the waiter may be gone
  // first at shutdown.
  std::shared_ptr<Notification> taken;
};
struct ChildReported {
  ChildId child = 0;
  v1::StepResult result;
};
// Its zombie is still there, so that its pid means nobody else: Children::Reap.
struct ChildEnded {
  ChildId child = 0;
};
struct ShutDown {};

using Event = std::variant<TaskArrived, ChildReported, ChildEnded, ShutDown>;

// Thread-safe. Bounded by what feeds it: one task at a time, and the results of children, each of a plan's length.
class EventQueue {
 public:
  void Post(Event event) {
    MutexLock lock(&mu_);
    events_.push_back(std::move(event));
    posted_.NotifyAll();
  }

  // nullopt: nothing happened until `deadline`.
  absl::optional<Event> Next(absl::Time deadline) {
    MutexLock lock(&mu_);
    while (events_.empty()) {
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) return absl::nullopt;
      posted_.WaitFor(&mu_, absl::ToChronoNanoseconds(std::min(left, absl::Hours(1))));
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  Mutex mu_;
  CondVar posted_;
  std::deque<Event> events_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::agent
