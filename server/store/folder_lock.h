#pragma once
// Keeps a second server off a data folder, for as long as this object (and so this process) lives.

#include <string>

#include "absl/status/statusor.h"

namespace muster::store {

// Move-only. The kernel gives the lock back when the process ends, however it ends.
class FolderLock {
 public:
  // Makes the folder (mode 0700) if absent. FAILED_PRECONDITION: held by another process, named by pid.
  // PERMISSION_DENIED: can't be made or written. UNAVAILABLE: the disk is full.
  static absl::StatusOr<FolderLock> Take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace muster::store
