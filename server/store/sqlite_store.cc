#include "server/store/sqlite_store.h"

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/mutex.h"
#include "server/store/folder_lock.h"
#include "server/store/sqlite_connection.h"

namespace muster::store {
namespace {

// "Mstr": tells our files from other SQLite files.
constexpr int kApplicationId = 0x4d737472;
// Raise with each change of the tables, and migrate in Prepare.
constexpr int kSchemaVersion = 1;

// Makes or checks the tables. The file is ours alone by then.
absl::Status Prepare(SqliteConnection& db, const std::string& path) {
  if (absl::Status s = db.Execute("PRAGMA journal_mode=WAL"); !s.ok()) return s;
  if (absl::Status s = db.Execute("PRAGMA synchronous=FULL"); !s.ok()) return s;
  absl::StatusOr<int64_t> id = db.QueryInteger("PRAGMA application_id");
  if (!id.ok()) return id.status();
  absl::StatusOr<int64_t> version = db.QueryInteger("PRAGMA user_version");
  if (!version.ok()) return version.status();
  absl::StatusOr<int64_t> tables = db.QueryInteger("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return tables.status();
  if (*tables > 0 && *id != kApplicationId) {
    return absl::DataLossError(
        absl::StrCat(path, " is a database of another program; give musterd a folder of its own with --data"));
  }
  if (*version > kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path, " was written by a newer musterd (schema ", *version,
                                                      ", this one knows ", kSchemaVersion,
                                                      "); start that version, or restore a backup made before it"));
  }
  if (*tables > 0) {
    absl::StatusOr<std::string> check = db.QueryText("PRAGMA quick_check(1)");
    if (!check.ok()) return check.status();
    if (*check != "ok") {
      return absl::DataLossError(
          absl::StrCat(path, " is damaged (", *check, "); restore a backup, or move it away to start empty"));
    }
  }
  return db.Execute(
      absl::StrCat("BEGIN IMMEDIATE;"
                   "CREATE TABLE IF NOT EXISTS record(kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,"
                   " PRIMARY KEY(kind, key)) WITHOUT ROWID;"
                   "CREATE TABLE IF NOT EXISTS term(only INTEGER PRIMARY KEY CHECK(only = 1), term INTEGER NOT NULL);"
                   "INSERT OR IGNORE INTO term VALUES(1, 0);"
                   "UPDATE term SET term = term + 1;"
                   "PRAGMA application_id=",
                   kApplicationId, ";PRAGMA user_version=", kSchemaVersion, ";COMMIT"));
}

class SqliteStore final : public Store {
 public:
  SqliteStore(FolderLock lock, SqliteConnection writer, SqliteConnection reader, Term term, SqliteOptions options)
      : lock_(std::move(lock)),
        options_(std::move(options)),
        term_(term),
        writer_(std::move(writer)),
        reader_(std::move(reader)),
        thread_([this] { Write(); }) {}
  ~SqliteStore() override { Close(); }

  Term term() const override { return term_; }
  void Commit(Batch batch, Done done) override;
  absl::StatusOr<std::vector<Record>> Load(Kind kind) override;
  absl::StatusOr<std::vector<std::string>> Keys(Kind kind) override;
  absl::StatusOr<absl::optional<std::string>> Get(Kind kind, absl::string_view key) override;
  absl::StatusOr<std::vector<Record>> Scan(Kind kind, absl::string_view before, int limit) override;
  void Close() override;

 private:
  struct Waiting {
    Batch batch;
    Done done;
  };

  void Write();
  absl::Status Transact(const std::deque<Waiting>& group);
  // In the transaction. FAILED_PRECONDITION: the store has been opened again since.
  absl::Status CheckTerm();
  absl::Status Apply(const Batch& batch);

  const FolderLock lock_;
  SqliteOptions options_;
  const Term term_;

  Mutex mu_;
  CondVar given_;
  std::deque<Waiting> waiting_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;

  SqliteConnection writer_;  // the writer thread's alone
  Mutex reader_mu_;
  SqliteConnection reader_ ABSL_GUARDED_BY(reader_mu_);
  Mutex join_mu_;
  std::thread thread_ ABSL_GUARDED_BY(join_mu_);  // last: starts when all else is there
};

void SqliteStore::Commit(Batch batch, Done done) {
  absl::Status refused;
  {
    MutexLock lock(&mu_);
    if (closed_) {
      refused = absl::FailedPreconditionError("the store is closed");
    } else if (waiting_.size() >= options_.max_waiting) {
      refused = absl::ResourceExhaustedError(absl::StrCat(waiting_.size(), " commits are waiting for the disk"));
    } else {
      waiting_.push_back({std::move(batch), std::move(done)});
      given_.NotifyAll();
      return;
    }
  }
  done(refused);
}

void SqliteStore::Write() {
  for (;;) {
    std::deque<Waiting> group;
    {
      MutexLock lock(&mu_);
      while (waiting_.empty() && !closed_) given_.Wait(&mu_);
      if (waiting_.empty()) return;
      group.swap(waiting_);
    }
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = Transact(group);
    if (options_.on_commit) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      options_.on_commit({took.count(), static_cast<int64_t>(group.size()), status.ok()});
    }
    for (Waiting& w : group) w.done(status);
  }
}

// All batches in one transaction, or none: a failed disk fails them all alike.
absl::Status SqliteStore::Transact(const std::deque<Waiting>& group) {
  absl::Status status = writer_.Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = CheckTerm();
  for (auto it = group.begin(); status.ok() && it != group.end(); ++it) status = Apply(it->batch);
  if (status.ok()) status = writer_.Execute("COMMIT");
  if (!status.ok()) writer_.Execute("ROLLBACK").IgnoreError();
  return status;
}

// The folder's lock keeps a second server out, unless somebody deletes it, or its file system doesn't hold locks.
absl::Status SqliteStore::CheckTerm() {
  absl::StatusOr<int64_t> term = writer_.QueryInteger("SELECT term FROM term");
  if (!term.ok()) return term.status();
  if (static_cast<uint64_t>(*term) == term_.value()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("term ", term_.value(), " is over: another musterd has opened ",
                                                    options_.folder, " as term ", *term, "; end this one"));
}

absl::Status SqliteStore::Apply(const Batch& batch) {
  for (const auto& [kind, prefix] : batch.prefixes()) {
    absl::Status s = writer_.Run("DELETE FROM record WHERE kind = ?1 AND key >= ?2 AND substr(key, 1, ?3) = ?2",
                                 static_cast<int64_t>(kind), prefix, static_cast<int64_t>(prefix.size()));
    if (!s.ok()) return s;
  }
  for (const Batch::Change& change : batch.changes()) {
    absl::Status s =
        change.value
            ? writer_.Run(
                  "INSERT INTO record VALUES(?1, ?2, ?3) ON CONFLICT(kind, key) DO UPDATE SET value = excluded.value",
                  static_cast<int64_t>(change.kind), change.key, *change.value)
            : writer_.Run("DELETE FROM record WHERE kind = ?1 AND key = ?2", static_cast<int64_t>(change.kind),
                          change.key);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Record>> SqliteStore::Load(Kind kind) {
  MutexLock lock(&reader_mu_);
  return reader_.QueryRecords("SELECT key, value FROM record WHERE kind = ?1 ORDER BY key", static_cast<int64_t>(kind));
}

absl::StatusOr<std::vector<std::string>> SqliteStore::Keys(Kind kind) {
  MutexLock lock(&reader_mu_);
  auto rows =
      reader_.QueryRecords("SELECT key, '' FROM record WHERE kind = ?1 ORDER BY key", static_cast<int64_t>(kind));
  if (!rows.ok()) return rows.status();
  std::vector<std::string> keys;
  keys.reserve(rows->size());
  for (Record& row : *rows) keys.push_back(std::move(row.key));
  return keys;
}

absl::StatusOr<absl::optional<std::string>> SqliteStore::Get(Kind kind, absl::string_view key) {
  MutexLock lock(&reader_mu_);
  auto rows = reader_.QueryRecords("SELECT key, value FROM record WHERE kind = ?1 AND key = ?2",
                                   static_cast<int64_t>(kind), std::string(key));
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return absl::optional<std::string>();
  return absl::optional<std::string>(std::move(rows->front().value));
}

absl::StatusOr<std::vector<Record>> SqliteStore::Scan(Kind kind, absl::string_view before, int limit) {
  MutexLock lock(&reader_mu_);
  const int64_t k = static_cast<int64_t>(kind), n = limit;
  if (before.empty()) {
    return reader_.QueryRecords("SELECT key, value FROM record WHERE kind = ?1 ORDER BY key DESC LIMIT ?2", k, n);
  }
  return reader_.QueryRecords("SELECT key, value FROM record WHERE kind = ?1 AND key < ?2 ORDER BY key DESC LIMIT ?3",
                              k, std::string(before), n);
}

void SqliteStore::Close() {
  {
    MutexLock lock(&mu_);
    closed_ = true;
    given_.NotifyAll();
  }
  MutexLock lock(&join_mu_);
  if (thread_.joinable()) thread_.join();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqlite(SqliteOptions options) {
  absl::StatusOr<FolderLock> lock = FolderLock::Take(options.folder);
  if (!lock.ok()) return lock.status();
  const std::string path = absl::StrCat(options.folder, "/muster.db");
  absl::StatusOr<SqliteConnection> writer = SqliteConnection::Open(path);
  if (!writer.ok()) return writer.status();
  if (absl::Status s = Prepare(*writer, path); !s.ok()) return s;
  if (options.max_pages > 0) {
    if (absl::Status s = writer->Execute(absl::StrCat("PRAGMA max_page_count=", options.max_pages)); !s.ok()) return s;
  }
  absl::StatusOr<SqliteConnection> reader = SqliteConnection::Open(path);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<int64_t> term = writer->QueryInteger("SELECT term FROM term");
  if (!term.ok()) return term.status();
  return std::make_unique<SqliteStore>(*std::move(lock), *std::move(writer), *std::move(reader),
                                       Term(static_cast<uint64_t>(*term)), std::move(options));
}

}  // namespace muster::store
