#pragma once
// The embedded default: one SQLite file in a data folder, write-ahead log, synchronous=FULL, one writer thread that
// commits all waiting batches with one fsync (group commit).

#include <memory>
#include <string>

#include "server/store/store.h"

namespace muster::store {

// Called after each transaction, on the writer thread: for metrics.
struct CommitStats {
  double seconds = 0;
  int64_t batches = 0;
  bool ok = true;
};

struct SqliteOptions {
  // Made if absent. Holds muster.db (and SQLite's -wal and -shm) and the lock.
  std::string folder;
  // Batches that may wait; past it Commit fails with RESOURCE_EXHAUSTED.
  size_t max_waiting = 65536;
  absl::AnyInvocable<void(const CommitStats&)> on_commit;
  // A quota on the database file, in pages of 4 KiB; 0: none. Past it commits fail like on a full disk.
  int64_t max_pages = 0;
};

// FAILED_PRECONDITION: another server has the folder (names its pid), or a newer version wrote it (says which).
// UNAVAILABLE: the disk is full, read-only or failing; a later try may work. PERMISSION_DENIED: the folder can't be
// made or written. DATA_LOSS: the file is no database, or damaged; says what to do.
absl::StatusOr<std::unique_ptr<Store>> OpenSqlite(SqliteOptions options);

}  // namespace muster::store
