#pragma once
// The one loop that owns all state of the coordinator. It runs in turns: a turn takes what has arrived, then calls
// `on_turn_end` once, so that many events share one commit.
//
// Two lanes: Post is for what comes from outside and is refused when the queue is full; PostInternal is for what was
// let in already (the end of a commit, a caller that hung up) and is never refused. While the loop is held (a commit is
// under way) only the internal lane moves.
//
// Threads: Post and PostInternal from any; everything else only where the loop runs. Start/Stop own a thread; tests
// call RunUntilIdle instead and run everything by hand.

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "server/core/clock.h"

namespace muster::core {

class Loop {
 public:
  using Task = absl::AnyInvocable<void()>;

  struct Options {
    // Events that may wait; past it Post refuses.
    size_t capacity = 131072;
    // Events a turn takes at most.
    size_t turn = 4096;
  };
  struct Hooks {
    // The alarm's time has come.
    std::function<void()> on_alarm;
    // After each turn in which something ran.
    std::function<void()> on_turn_end;
  };

  Loop(const Clock& clock, Options options);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Before the first event.
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  // False: full, or stopped; `task` was dropped.
  bool Post(Task task);
  void PostInternal(Task task);
  size_t depth() const;

  // On the loop: when to call on_alarm next (InfiniteFuture: never), and whether the outer lane stands still.
  void SetAlarm(absl::Time at) { alarm_ = at; }
  void Hold(bool held) { held_ = held; }

  // Runs turns until nothing is left that may run now. By hand only. Returns the number of turns.
  int RunUntilIdle();

  void Start();
  // Ends the thread after the turn that runs; from then on Post refuses. Idempotent.
  void Stop();
  // After Stop: runs what is still queued, without hooks.
  void RunRemaining();

 private:
  // Takes a turn's tasks; empty: nothing may run.
  std::deque<Task> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Turn(std::deque<Task> tasks);
  void Run();

  const Clock& clock_;
  const Options options_;
  Hooks hooks_;
  absl::Time alarm_ = absl::InfiniteFuture();
  bool held_ = false;

  mutable Mutex mu_;
  CondVar changed_;
  std::deque<Task> outer_ ABSL_GUARDED_BY(mu_);
  std::deque<Task> internal_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace muster::core
