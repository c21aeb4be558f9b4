// The contract of store.h, held to every implementation that opens without a server of its own.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lib/base/notification.h"
#include "server/store/memory_store.h"
#include "server/store/sqlite_store.h"
#include "server/store/store.h"

namespace muster::store {
namespace {

// Opens the same data again and again, as restarts of one server do.
class World {
 public:
  virtual ~World() = default;
  virtual absl::StatusOr<std::unique_ptr<Store>> Open() = 0;
};

class MemoryWorld final : public World {
 public:
  absl::StatusOr<std::unique_ptr<Store>> Open() override { return std::unique_ptr<Store>(MemoryStore::Open(disk_)); }

 private:
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
};

class SqliteWorld final : public World {
 public:
  SqliteWorld() {
    static std::atomic<int> count{0};
    folder_ = absl::StrCat(testing::TempDir(), "/suite-", ++count);
    std::filesystem::remove_all(folder_);
  }
  absl::StatusOr<std::unique_ptr<Store>> Open() override { return OpenSqlite({.folder = folder_, .on_commit = {}}); }

 private:
  std::string folder_;
};

struct Implementation {
  const char* name;
  std::function<std::unique_ptr<World>()> make;
};

class StoreSuite : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    Reopen();
  }
  void Reopen() {
    store_.reset();
    auto opened = world_->Open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  absl::Status CommitNow(Batch batch) {
    Notification notification;
    absl::Status result;
    store_->Commit(std::move(batch), [&](const absl::Status& s) {
      result = s;
      notification.Notify();
    });
    notification.WaitForNotification();
    return result;
  }
  absl::Status Put(Kind kind, std::string key, std::string value) {
    Batch batch;
    batch.Put(kind, std::move(key), std::move(value));
    return CommitNow(std::move(batch));
  }
  std::vector<Record> Load(Kind kind) { return store_->Load(kind).value(); }

  std::unique_ptr<World> world_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreSuite, CommittedRecord_IsThereAfterReopening) {
  ASSERT_TRUE(Put(Kind::kJob, "a", "1").ok());
  Reopen();
  EXPECT_EQ(Load(Kind::kJob), (std::vector<Record>{{"a", "1"}}));
  EXPECT_EQ(store_->Get(Kind::kJob, "a").value(), absl::make_optional<std::string>("1"));
  EXPECT_EQ(store_->Get(Kind::kJob, "b").value(), absl::nullopt);
  EXPECT_EQ(store_->Get(Kind::kNode, "a").value(), absl::nullopt);
}

TEST_P(StoreSuite, Batch_AppliesInOrderAndLaterChangesWin) {
  Batch batch;
  batch.Put(Kind::kJob, "a", "1");
  batch.Put(Kind::kJob, "a", "2");
  batch.Put(Kind::kJob, "b", "1");
  batch.Delete(Kind::kJob, "b");
  ASSERT_TRUE(CommitNow(std::move(batch)).ok());
  EXPECT_EQ(Load(Kind::kJob), (std::vector<Record>{{"a", "2"}}));
}

TEST_P(StoreSuite, DeletePrefix_TakesThatKindAndPrefixOnly) {
  for (const char* key : {"a/1", "a/2", "a0", "b/1"}) ASSERT_TRUE(Put(Kind::kKeyValue, key, "v").ok());
  ASSERT_TRUE(Put(Kind::kJob, "a/1", "v").ok());
  Batch batch;
  batch.DeletePrefix(Kind::kKeyValue, "a/");
  batch.Put(Kind::kKeyValue, "a/3", "new");
  ASSERT_TRUE(CommitNow(std::move(batch)).ok());
  EXPECT_EQ(Load(Kind::kKeyValue), (std::vector<Record>{{"a/3", "new"}, {"a0", "v"}, {"b/1", "v"}}));
  EXPECT_EQ(Load(Kind::kJob).size(), 1u);
}

TEST_P(StoreSuite, Bytes_AreKeptAsTheyAre) {
  const std::string bytes("\0\xff\n'\";--\0", 9);
  ASSERT_TRUE(Put(Kind::kNode, bytes, bytes).ok());
  ASSERT_TRUE(Put(Kind::kNode, "empty", "").ok());
  Reopen();
  EXPECT_EQ(Load(Kind::kNode), (std::vector<Record>{{bytes, bytes}, {"empty", ""}}));
}

TEST_P(StoreSuite, Load_IsInBytewiseOrder) {
  for (const char* key : {"b", "a10", "a2", "\xff", "B"}) ASSERT_TRUE(Put(Kind::kJob, key, "").ok());
  std::vector<std::string> keys;
  for (const Record& r : Load(Kind::kJob)) keys.push_back(r.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"B", "a10", "a2", "b", "\xff"}));
}

TEST_P(StoreSuite, Keys_AreThoseOfTheKindInBytewiseOrder) {
  for (const char* key : {"b", "a10", "a2"}) ASSERT_TRUE(Put(Kind::kReceipt, key, "v").ok());
  ASSERT_TRUE(Put(Kind::kKeyValue, "z", "z").ok());
  EXPECT_EQ(store_->Keys(Kind::kReceipt).value(), (std::vector<std::string>{"a10", "a2", "b"}));
  EXPECT_TRUE(store_->Keys(Kind::kNode)->empty());
}

TEST_P(StoreSuite, Scan_PagesFromTheEnd) {
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(Kind::kReceipt, key, key).ok());
  ASSERT_TRUE(Put(Kind::kKeyValue, "z", "z").ok());
  EXPECT_EQ(store_->Scan(Kind::kReceipt, "", 3).value(), (std::vector<Record>{{"d", "d"}, {"c", "c"}, {"b", "b"}}));
  EXPECT_EQ(store_->Scan(Kind::kReceipt, "b", 3).value(), (std::vector<Record>{{"a", "a"}}));
  EXPECT_TRUE(store_->Scan(Kind::kReceipt, "a", 3).value().empty());
}

TEST_P(StoreSuite, Term_GrowsWithEachOpening) {
  const Term first = store_->term();
  Reopen();
  const Term second = store_->term();
  Reopen();
  EXPECT_LT(first, second);
  EXPECT_LT(second, store_->term());
}

TEST_P(StoreSuite, Done_RunsInTheOrderOfCommits) {
  std::vector<int> order;  // done runs on one thread at a time
  Notification last;
  for (int i = 0; i < 500; ++i) {
    Batch batch;
    batch.Put(Kind::kJob, "k", absl::StrCat(i));
    store_->Commit(std::move(batch), [&order, &last, i](const absl::Status& s) {
      EXPECT_TRUE(s.ok()) << s;
      order.push_back(i);
      if (i == 499) last.Notify();
    });
  }
  last.WaitForNotification();
  ASSERT_EQ(order.size(), 500u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(Load(Kind::kJob), (std::vector<Record>{{"k", "499"}}));
}

TEST_P(StoreSuite, CommitsFromManyThreads_AreAllKept) {
  std::atomic<int> kept{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          Batch batch;
          batch.Put(Kind::kJob, absl::StrCat(t, "/", i), "v");
          store_->Commit(std::move(batch), [&](const absl::Status& s) { kept += s.ok(); });
        }
      });
    }
  }
  store_->Close();
  EXPECT_EQ(kept, 400);
  Reopen();
  EXPECT_EQ(Load(Kind::kJob).size(), 400u);
}

TEST_P(StoreSuite, Close_FinishesWhatWasGivenAndRefusesTheRest) {
  int done = 0;
  for (int i = 0; i < 20; ++i) {
    Batch batch;
    batch.Put(Kind::kJob, absl::StrCat(i), "v");
    store_->Commit(std::move(batch), [&](const absl::Status& s) { done += s.ok(); });
  }
  store_->Close();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(Put(Kind::kJob, "late", "v").code(), absl::StatusCode::kFailedPrecondition);
  Reopen();
  EXPECT_EQ(Load(Kind::kJob).size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(All, StoreSuite,
                         testing::Values(Implementation{"Memory", [] { return std::make_unique<MemoryWorld>(); }},
                                         Implementation{"Sqlite", [] { return std::make_unique<SqliteWorld>(); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace muster::store
