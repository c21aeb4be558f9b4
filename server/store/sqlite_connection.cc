#include "server/store/sqlite_connection.h"

#include "absl/strings/str_cat.h"

namespace muster::store {
namespace {

constexpr int kBusyMillis = 5000;

}  // namespace

absl::StatusOr<SqliteConnection> SqliteConnection::Open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int rc =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(path, raw);
  if (rc != SQLITE_OK) return connection.Error("open");
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyMillis);
  return connection;
}

absl::Status SqliteConnection::Execute(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return absl::OkStatus();
  return Error("write");
}

absl::StatusOr<sqlite3_stmt*> SqliteConnection::Prepared(const char* sql) {
  Statement& statement = prepared_[sql];
  if (statement) return statement.get();
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK)
    return Error("prepare");
  statement.reset(raw);
  return raw;
}

absl::Status SqliteConnection::Finish(sqlite3_stmt* statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) {
  }
  const int rc = sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return rc == SQLITE_OK ? absl::OkStatus() : Error("write");
}

absl::StatusOr<std::vector<Record>> SqliteConnection::Collect(sqlite3_stmt* statement) {
  const auto blob = [&](int column) {
    const char* data = static_cast<const char*>(sqlite3_column_blob(statement, column));
    return std::string(data ? data : "", static_cast<size_t>(sqlite3_column_bytes(statement, column)));
  };
  std::vector<Record> rows;
  while (sqlite3_step(statement) == SQLITE_ROW) rows.push_back({blob(0), blob(1)});
  const int rc = sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (rc != SQLITE_OK) return Error("read");
  return rows;
}

absl::StatusOr<int64_t> SqliteConnection::QueryInteger(const char* sql) {
  absl::StatusOr<sqlite3_stmt*> statement = Prepared(sql);
  if (!statement.ok()) return statement.status();
  const bool row = sqlite3_step(*statement) == SQLITE_ROW;
  const int64_t value = row ? sqlite3_column_int64(*statement, 0) : 0;
  const int rc = sqlite3_reset(*statement);
  if (rc != SQLITE_OK || !row) return Error("read");
  return value;
}

absl::StatusOr<std::string> SqliteConnection::QueryText(const char* sql) {
  absl::StatusOr<sqlite3_stmt*> statement = Prepared(sql);
  if (!statement.ok()) return statement.status();
  const bool row = sqlite3_step(*statement) == SQLITE_ROW;
  const unsigned char* text = row ? sqlite3_column_text(*statement, 0) : nullptr;
  std::string value = text ? reinterpret_cast<const char*>(text) : "";
  const int rc = sqlite3_reset(*statement);
  if (rc != SQLITE_OK || !row) return Error("read");
  return value;
}

absl::Status SqliteConnection::Error(const std::string& doing) const {
  const int code = sqlite3_errcode(db_.get()) & 0xff;
  const std::string message = absl::StrCat("can't ", doing, " ", path_, ": ", sqlite3_errmsg(db_.get()));
  switch (code) {
    case SQLITE_FULL:
      return absl::UnavailableError(absl::StrCat(message, "; free some space on that disk"));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return absl::UnavailableError(absl::StrCat(message, "; make it writable for this user"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return absl::UnavailableError(message);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(absl::StrCat(message, "; restore a backup, or move it away to start empty"));
    default:
      return absl::InternalError(absl::StrCat(message, " (code ", sqlite3_extended_errcode(db_.get()), ")"));
  }
}

}  // namespace muster::store
