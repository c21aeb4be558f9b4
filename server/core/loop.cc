#include "server/core/loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::core {
namespace {

// The alarm is looked at no later than this even if the clocks disagree about how long to wait.
constexpr absl::Duration kLongestNap = absl::Seconds(1);

}  // namespace

Loop::Loop(const Clock& clock, Options options) : clock_(clock), options_(options) {}

Loop::~Loop() { Stop(); }

bool Loop::Post(Task task) {
  MutexLock lock(&mu_);
  if (stopping_ || outer_.size() >= options_.capacity) return false;
  outer_.push_back(std::move(task));
  if (outer_.size() == 1) changed_.NotifyAll();
  return true;
}

void Loop::PostInternal(Task task) {
  MutexLock lock(&mu_);
  internal_.push_back(std::move(task));
  if (internal_.size() == 1) changed_.NotifyAll();
}

size_t Loop::depth() const {
  MutexLock lock(&mu_);
  return outer_.size();
}

std::deque<Loop::Task> Loop::Take() {
  std::deque<Task> tasks = std::move(internal_);
  internal_.clear();
  if (held_) return tasks;
  if (outer_.size() <= options_.turn && tasks.empty()) {
    tasks.swap(outer_);
    return tasks;
  }
  const size_t n = std::min(outer_.size(), options_.turn);
  std::move(outer_.begin(), outer_.begin() + n, std::back_inserter(tasks));
  outer_.erase(outer_.begin(), outer_.begin() + n);
  return tasks;
}

bool Loop::Turn(std::deque<Task> tasks) {
  bool ran = !tasks.empty();
  for (Task& task : tasks) task();
  // An internal task may just have held or let go the loop; the alarm belongs to the outer lane.
  if (!held_ && alarm_ <= clock_.Now()) {
    alarm_ = absl::InfiniteFuture();
    if (hooks_.on_alarm) hooks_.on_alarm();
    ran = true;
  }
  if (ran && !held_ && hooks_.on_turn_end) hooks_.on_turn_end();
  return ran;
}

int Loop::RunUntilIdle() {
  for (int turns = 0;; ++turns) {
    std::deque<Task> tasks;
    {
      MutexLock lock(&mu_);
      tasks = Take();
    }
    if (!Turn(std::move(tasks))) return turns;
  }
}

void Loop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Loop::Run() {
  for (;;) {
    std::deque<Task> tasks;
    {
      MutexLock lock(&mu_);
      while (!stopping_ && internal_.empty() && (held_ || outer_.empty())) {
        const absl::Duration until = held_ ? kLongestNap : alarm_ - clock_.Now();
        if (until <= absl::ZeroDuration()) break;
        changed_.WaitFor(&mu_, absl::ToChronoNanoseconds(std::min(until, kLongestNap)));
      }
      if (stopping_) return;
      tasks = Take();
    }
    Turn(std::move(tasks));
  }
}

void Loop::Stop() {
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Loop::RunRemaining() {
  held_ = false;
  for (;;) {
    std::deque<Task> tasks;
    {
      MutexLock lock(&mu_);
      tasks = Take();
    }
    if (tasks.empty()) return;
    for (Task& task : tasks) task();
  }
}

}  // namespace muster::core
