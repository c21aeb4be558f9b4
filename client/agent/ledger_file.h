#pragma once
// The agent's data folder: one agent at a time, and a ledger that survives kill -9.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/agent/ledger.pb.h"

namespace muster::agent {

// Move-only; holds the folder's lock for its life. Not thread-safe.
class LedgerFile {
 public:
  // Makes the folder where it is missing. FAILED_PRECONDITION: another agent has it, or its ledger is unreadable;
  // PERMISSION_DENIED, INTERNAL: the folder or file can't be made.
  static absl::StatusOr<LedgerFile> Open(const std::string& folder);

  LedgerFile(LedgerFile&& other) noexcept;
  LedgerFile& operator=(LedgerFile&&) = delete;
  ~LedgerFile();

  const std::string& folder() const { return folder_; }
  // As it was found; empty for a new folder.
  const Ledger& found() const { return found_; }
  // Durable when it returns: written beside the old one, synced, renamed over it. INTERNAL: the disk refuses.
  absl::Status Save(const Ledger& ledger) const;

 private:
  LedgerFile(std::string folder, int lock) : folder_(std::move(folder)), lock_(lock) {}

  std::string folder_;
  int lock_ = -1;
  Ledger found_;
};

}  // namespace muster::agent
