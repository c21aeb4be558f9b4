#pragma once
// Where the coordinator keeps what must outlive it: records (kind, key) -> bytes, changed by atomic batches.
//
// Contract of every implementation (store_suite.h holds it to each of them):
//  - A batch is applied whole or not at all; batches take effect in the order of their Commit calls.
//  - `done` runs once for each batch, in that order, when the batch is durable or has failed. A failed batch changed
//  nothing.
//  - Opening raises the term durably before Open returns; a writer of an older term can write no more.
// Commit may be called from any thread and never waits for the disk. `done` runs on a thread of the store, without
// locks held; it must not block. Load, Get and Scan see every batch whose `done` has run; they may be called from any
// thread.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lib/base/ids.h"

namespace muster::store {

// What a record is. The numbers are on disk: add, never renumber.
enum class Kind : int {
  kMeta = 0,      // the store's own
  kJob = 1,       // job uid -> muster.store.v1.GangRecord, in parts
  kNode = 2,      // node uid -> muster.store.v1.NodeRecord
  kReceipt = 3,   // receipt id -> muster.v1.Receipt
  kKeyValue = 4,  // scope and key -> value
  kTest = 6,      // test id -> what its rounds have given so far
};

struct Record {
  std::string key;
  std::string value;
  friend bool operator==(const Record&, const Record&) = default;
};

// Changes that take effect together. Later changes of one key win.
class Batch {
 public:
  struct Change {
    Kind kind;
    std::string key;
    absl::optional<std::string> value;  // nullopt: delete
  };

  void Put(Kind kind, std::string key, std::string value) {
    changes_.push_back({kind, std::move(key), std::move(value)});
  }
  void Delete(Kind kind, std::string key) { changes_.push_back({kind, std::move(key), absl::nullopt}); }
  // Deletes every key of `kind` that begins with `prefix` (not empty).
  void DeletePrefix(Kind kind, std::string prefix) { prefixes_.push_back({kind, std::move(prefix)}); }
  bool empty() const { return changes_.empty() && prefixes_.empty(); }

  // Prefixes are deleted first, then the changes apply in order.
  const std::vector<Change>& changes() const { return changes_; }
  const std::vector<std::pair<Kind, std::string>>& prefixes() const { return prefixes_; }

 private:
  std::vector<Change> changes_;
  std::vector<std::pair<Kind, std::string>> prefixes_;
};

class Store {
 public:
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  virtual ~Store() = default;

  // Of this opening; greater than that of every opening before.
  virtual Term term() const = 0;

  // UNAVAILABLE: disk full, read-only or failing; nothing changed, and a later batch may work again.
  // FAILED_PRECONDITION: closed, or another opening has a greater term; no later batch will work.
  virtual void Commit(Batch batch, Done done) = 0;

  // All records of a kind by ascending key (bytewise).
  virtual absl::StatusOr<std::vector<Record>> Load(Kind kind) = 0;
  // Their keys alone, in the same order.
  virtual absl::StatusOr<std::vector<std::string>> Keys(Kind kind) = 0;
  // nullopt: no such record.
  virtual absl::StatusOr<absl::optional<std::string>> Get(Kind kind, absl::string_view key) = 0;
  // At most `limit` records with key < `before` by descending key; an empty `before` starts at the end.
  virtual absl::StatusOr<std::vector<Record>> Scan(Kind kind, absl::string_view before, int limit) = 0;

  // Commits what was given, runs every `done`, then refuses. Idempotent.
  virtual void Close() = 0;
};

}  // namespace muster::store
