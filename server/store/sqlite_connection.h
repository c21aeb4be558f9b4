#pragma once
// One connection to a SQLite file: statements prepared once by their text, values bound, errors as Status. Used by one
// thread at a time.

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/store.h"

namespace muster::store {

// Errors: UNAVAILABLE (full, busy, read-only, I/O), DATA_LOSS (no database, or damaged), INTERNAL (a bug of ours).
class SqliteConnection {
 public:
  // Opens or makes the file.
  static absl::StatusOr<SqliteConnection> Open(const std::string& path);

  // One or more statements without values or rows of interest.
  absl::Status Execute(const std::string& sql);

  // One statement with the values ?1, ?2, …: int64_t or std::string (as a blob).
  template <typename... Values>
  absl::Status Run(const char* sql, const Values&... values) {
    absl::StatusOr<sqlite3_stmt*> statement = Bound(sql, values...);
    if (!statement.ok()) return statement.status();
    return Finish(*statement);
  }

  // Rows of (key, value).
  template <typename... Values>
  absl::StatusOr<std::vector<Record>> QueryRecords(const char* sql, const Values&... values) {
    absl::StatusOr<sqlite3_stmt*> statement = Bound(sql, values...);
    if (!statement.ok()) return statement.status();
    return Collect(*statement);
  }

  // The first column of the first row.
  absl::StatusOr<int64_t> QueryInteger(const char* sql);
  absl::StatusOr<std::string> QueryText(const char* sql);

 private:
  struct CloseDb {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  SqliteConnection(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}

  template <typename... Values>
  absl::StatusOr<sqlite3_stmt*> Bound(const char* sql, const Values&... values) {
    absl::StatusOr<sqlite3_stmt*> statement = Prepared(sql);
    if (!statement.ok()) return statement;
    int i = 0;
    (Bind(*statement, ++i, values), ...);
    return statement;
  }
  static void Bind(sqlite3_stmt* statement, int i, int64_t value) { sqlite3_bind_int64(statement, i, value); }
  static void Bind(sqlite3_stmt* statement, int i, const std::string& value) {
    sqlite3_bind_blob64(statement, i, value.data(), value.size(), SQLITE_TRANSIENT);
  }

  absl::StatusOr<sqlite3_stmt*> Prepared(const char* sql);
  absl::Status Finish(sqlite3_stmt* statement);
  absl::StatusOr<std::vector<Record>> Collect(sqlite3_stmt* statement);
  absl::Status Error(const std::string& doing) const;

  std::string path_;
  std::unique_ptr<sqlite3, CloseDb> db_;
  std::map<std::string, Statement> prepared_;  // after db_: finalized before it closes
};

}  // namespace muster::store
