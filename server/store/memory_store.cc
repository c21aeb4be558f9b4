#include "server/store/memory_store.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace muster::store {

std::unique_ptr<MemoryStore> MemoryStore::Open(std::shared_ptr<MemoryDisk> disk, Mode mode) {
  uint64_t term;
  {
    MutexLock lock(&disk->mu_);
    term = ++disk->term_;
  }
  return std::unique_ptr<MemoryStore>(new MemoryStore(std::move(disk), mode, Term(term)));
}

void MemoryStore::Commit(Batch batch, Done done) {
  {
    MutexLock lock(&mu_);
    if (!closed_) {
      waiting_.emplace_back(std::move(batch), std::move(done));
      done = nullptr;
    }
  }
  if (done) return done(absl::FailedPreconditionError("the store is closed"));
  if (mode_ == Mode::kAtOnce) Flush();
}

size_t MemoryStore::Flush(size_t count) {
  size_t flushed = 0;
  for (; flushed < count; ++flushed) {
    std::pair<Batch, Done> next;
    {
      MutexLock lock(&mu_);
      if (waiting_.empty()) break;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next.second(Apply(next.first));
  }
  return flushed;
}

absl::Status MemoryStore::Apply(const Batch& batch) {
  {
    MutexLock lock(&mu_);
    if (!failure_.ok()) return failure_;
  }
  MutexLock lock(&disk_->mu_);
  if (disk_->term_ != term_.value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("term ", term_.value(), " is over: term ", disk_->term_, " has opened the store"));
  }
  auto& records = disk_->records_;
  for (const auto& [kind, prefix] : batch.prefixes()) {
    for (auto it = records.lower_bound({kind, prefix});
         it != records.end() && it->first.first == kind && absl::StartsWith(it->first.second, prefix);) {
      it = records.erase(it);
    }
  }
  for (const Batch::Change& change : batch.changes()) {
    if (change.value) {
      records[{change.kind, change.key}] = *change.value;
    } else {
      records.erase({change.kind, change.key});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Record>> MemoryStore::Load(Kind kind) {
  std::vector<Record> out;
  MutexLock lock(&disk_->mu_);
  for (auto it = disk_->records_.lower_bound({kind, ""}); it != disk_->records_.end() && it->first.first == kind;
       ++it) {
    out.push_back({it->first.second, it->second});
  }
  return out;
}

absl::StatusOr<std::vector<std::string>> MemoryStore::Keys(Kind kind) {
  std::vector<std::string> out;
  MutexLock lock(&disk_->mu_);
  for (auto it = disk_->records_.lower_bound({kind, ""}); it != disk_->records_.end() && it->first.first == kind; ++it)
    out.push_back(it->first.second);
  return out;
}

absl::StatusOr<absl::optional<std::string>> MemoryStore::Get(Kind kind, absl::string_view key) {
  MutexLock lock(&disk_->mu_);
  const auto it = disk_->records_.find({kind, std::string(key)});
  if (it == disk_->records_.end()) return absl::optional<std::string>();
  return absl::optional<std::string>(it->second);
}

absl::StatusOr<std::vector<Record>> MemoryStore::Scan(Kind kind, absl::string_view before, int limit) {
  std::vector<Record> out;
  MutexLock lock(&disk_->mu_);
  const auto end = before.empty() ? std::pair(static_cast<Kind>(static_cast<int>(kind) + 1), std::string())
                                  : std::pair(kind, std::string(before));
  auto it = disk_->records_.lower_bound(end);
  while (it != disk_->records_.begin() && static_cast<int>(out.size()) < limit) {
    --it;
    if (it->first.first != kind) break;
    out.push_back({it->first.second, it->second});
  }
  return out;
}

void MemoryStore::Close() {
  {
    MutexLock lock(&mu_);
    closed_ = true;
  }
  Flush();
}

void MemoryStore::Crash() {
  std::deque<std::pair<Batch, Done>> dropped;
  MutexLock lock(&mu_);
  closed_ = true;
  dropped.swap(waiting_);
}

void MemoryStore::FailWith(absl::Status status) {
  MutexLock lock(&mu_);
  failure_ = std::move(status);
}

}  // namespace muster::store
