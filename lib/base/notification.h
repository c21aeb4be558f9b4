#pragma once
#include "lib/base/mutex.h"

namespace muster {

// An event that happens at most once, waited for by any number of threads. What a thread did before Notify is seen by
// whoever returns from WaitForNotification, who may then destroy this. As absl::Notification, but TSan understands it.
class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;

  void Notify() {
    MutexLock lock(&mu_);
    notified_ = true;
    changed_.NotifyAll();
  }
  bool HasBeenNotified() const {
    MutexLock lock(&mu_);
    return notified_;
  }
  void WaitForNotification() const {
    MutexLock lock(&mu_);
    while (!notified_) changed_.Wait(&mu_);
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  bool notified_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace muster
