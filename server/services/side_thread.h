#pragma once
// One thread for work that is too long for the loop or for gRPC's threads, with a bounded queue.

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "lib/base/mutex.h"

namespace muster::services {

class SideThread {
 public:
  explicit SideThread(size_t capacity = 64) : capacity_(capacity), thread_([this] { Loop(); }) {}
  ~SideThread() { Stop(); }

  // False: the queue is full, or it has stopped.
  bool Run(std::function<void()> work) {
    MutexLock lock(&mu_);
    if (stopping_ || queue_.size() >= capacity_) return false;
    queue_.push_back(std::move(work));
    changed_.NotifyAll();
    return true;
  }

  // Does what is queued, then ends. Idempotent.
  void Stop() {
    {
      MutexLock lock(&mu_);
      stopping_ = true;
      changed_.NotifyAll();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Loop() {
    for (;;) {
      std::function<void()> work;
      {
        MutexLock lock(&mu_);
        while (queue_.empty() && !stopping_) changed_.Wait(&mu_);
        if (queue_.empty()) return;
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      work();
    }
  }

  const size_t capacity_;
  Mutex mu_;
  CondVar changed_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace muster::services
