#pragma once
// What happens to the agent, in order, for its one thread that decides.

#include <cstdint>
#include <memory>
#include <variant>

#include "lib/base/mailbox.h"
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
// The coordinator that this agent is about to register with, for the first time.
struct CoordinatorMet {
  uint64_t term = 0;
  // Shared, as above. `begun` is read after `done`.
  struct Answer {
    Notification done;
    bool begun = false;
  };
  std::shared_ptr<Answer> answer;
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

using Event = std::variant<TaskArrived, CoordinatorMet, ChildReported, ChildEnded, ShutDown>;

// Bounded by what feeds it: one task at a time, and the results of children, each of a plan's length.
using EventQueue = Mailbox<Event>;

}  // namespace muster::agent
