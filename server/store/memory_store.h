#pragma once
// A store in memory, for tests and simulation: no thread of its own, and crashes on demand.

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "lib/base/mutex.h"
#include "server/store/store.h"

namespace muster::store {

// What survives a crash of its store: share it between openings as one would a data folder.
class MemoryDisk {
 private:
  friend class MemoryStore;
  mutable Mutex mu_;
  std::map<std::pair<Kind, std::string>, std::string> records_ ABSL_GUARDED_BY(mu_);
  uint64_t term_ ABSL_GUARDED_BY(mu_) = 0;
};

class MemoryStore final : public Store {
 public:
  // kAtOnce: Commit applies the batch and runs `done` before it returns.
  // kByHand: batches wait for Flush, so that a test can look in between or crash.
  enum class Mode { kAtOnce, kByHand };

  static std::unique_ptr<MemoryStore> Open(std::shared_ptr<MemoryDisk> disk, Mode mode = Mode::kAtOnce);
  ~MemoryStore() override { Close(); }

  Term term() const override { return term_; }
  void Commit(Batch batch, Done done) override;
  absl::StatusOr<std::vector<Record>> Load(Kind kind) override;
  absl::StatusOr<std::vector<std::string>> Keys(Kind kind) override;
  absl::StatusOr<absl::optional<std::string>> Get(Kind kind, absl::string_view key) override;
  absl::StatusOr<std::vector<Record>> Scan(Kind kind, absl::string_view before, int limit) override;
  void Close() override;

  // Applies the oldest waiting batches, `count` of them at most. Returns how many.
  size_t Flush(size_t count = SIZE_MAX);
  // Drops every waiting batch without running its `done`, as a power loss would; the store is closed.
  void Crash();
  // Batches fail with `status` until it is OK again.
  void FailWith(absl::Status status);

 private:
  MemoryStore(std::shared_ptr<MemoryDisk> disk, Mode mode, Term term)
      : disk_(std::move(disk)), mode_(mode), term_(term) {}
  absl::Status Apply(const Batch& batch);

  const std::shared_ptr<MemoryDisk> disk_;
  const Mode mode_;
  const Term term_;
  Mutex mu_;
  std::deque<std::pair<Batch, Done>> waiting_ ABSL_GUARDED_BY(mu_);
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace muster::store
