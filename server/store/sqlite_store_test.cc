// What only a real disk can do wrong.

#include "server/store/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "lib/base/notification.h"

namespace muster::store {
namespace {

using testing::HasSubstr;

class SqliteFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "/", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  absl::StatusOr<std::unique_ptr<Store>> Open() { return OpenSqlite({.folder = folder_, .on_commit = {}}); }
  static absl::Status Put(Store& store, const std::string& key, const std::string& value) {
    Batch batch;
    batch.Put(Kind::kJob, key, value);
    Notification told;
    absl::Status status;
    store.Commit(std::move(batch), [&](const absl::Status& s) {
      status = s;
      told.Notify();
    });
    told.WaitForNotification();
    return status;
  }
  void Sql(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(absl::StrCat(folder_, "/muster.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  std::string folder_;
};

TEST_F(SqliteFolder, SecondServer_IsRefusedWithThePidOfTheFirst) {
  auto first = Open();
  ASSERT_TRUE(first.ok());
  const absl::Status second = Open().status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.message()), HasSubstr(absl::StrCat("pid ", getpid())));
  EXPECT_THAT(std::string(second.message()), HasSubstr("--data"));
  first->reset();
  EXPECT_TRUE(Open().ok());
}

TEST_F(SqliteFolder, LockFileDeleted_OlderServerWritesNoMore) {
  auto older = Open();
  ASSERT_TRUE(older.ok());
  ASSERT_TRUE(Put(**older, "a", "1").ok());
  ASSERT_TRUE(std::filesystem::remove(folder_ + "/lock"));
  auto newer = Open();
  ASSERT_TRUE(newer.ok()) << newer.status();
  const absl::Status late = Put(**older, "a", "2");
  EXPECT_EQ(late.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(late.message()), HasSubstr("term 1 is over"));
  EXPECT_TRUE(Put(**newer, "b", "3").ok());
  EXPECT_EQ(*(*newer)->Get(Kind::kJob, "a"), "1");
}

TEST_F(SqliteFolder, NewerSchema_IsRefusedWithAdvice) {
  ASSERT_TRUE(Open().ok());
  Sql("PRAGMA user_version=99");
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("newer musterd (schema 99"));
}

TEST_F(SqliteFolder, AnotherProgramsDatabase_IsRefused) {
  std::filesystem::create_directories(folder_);
  Sql("CREATE TABLE theirs(x)");
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another program"));
}

TEST_F(SqliteFolder, FileThatIsNoDatabase_IsRefusedWithAdvice) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/muster.db") << std::string(8192, 'x');
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("restore a backup"));
}

TEST_F(SqliteFolder, DamagedPages_AreRefusedWithAdvice) {
  {
    auto store = Open();
    ASSERT_TRUE(store.ok());
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(Put(**store, absl::StrCat(i), std::string(4000, 'v')).ok());
  }
  const std::string path = folder_ + "/muster.db";
  const auto size = std::filesystem::file_size(path);
  ASSERT_GT(size, 40000u);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (size_t at = 8192; at + 4096 < size; at += 8192) {
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(2048, '\x5a');
  }
  file.close();
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SqliteFolder, FolderThatCannotBeMade_IsRefusedWithAdvice) {
  std::ofstream(folder_) << "a file";
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--data"));
  std::filesystem::remove(folder_);
}

TEST_F(SqliteFolder, FullDisk_FailsTheBatchAndALaterOneWorks) {
  auto store = OpenSqlite({.folder = folder_, .on_commit = {}, .max_pages = 64});
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(Put(**store, "before", "v").ok());
  const absl::Status full = Put(**store, "big", std::string(1 << 20, 'v'));
  EXPECT_EQ(full.code(), absl::StatusCode::kUnavailable) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("free some space"));
  EXPECT_EQ((*store)->Get(Kind::kJob, "big").value(), absl::nullopt);
  EXPECT_TRUE(Put(**store, "after", "v").ok());
  EXPECT_EQ((*store)->Load(Kind::kJob)->size(), 2u);
}

}  // namespace
}  // namespace muster::store
