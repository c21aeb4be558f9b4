#include "server/store/memory_store.h"

#include <gtest/gtest.h>

namespace muster::store {
namespace {

Batch One(std::string key) {
  Batch batch;
  batch.Put(Kind::kJob, std::move(key), "v");
  return batch;
}

TEST(MemoryStore, ByHand_NothingIsThereBeforeFlush) {
  int done = 0;  // before the store, which runs what is left of `done` when it closes
  auto store = MemoryStore::Open(std::make_shared<MemoryDisk>(), MemoryStore::Mode::kByHand);
  store->Commit(One("a"), [&](const absl::Status&) { ++done; });
  store->Commit(One("b"), [&](const absl::Status&) { ++done; });
  EXPECT_TRUE(store->Load(Kind::kJob)->empty());
  EXPECT_EQ(store->Flush(1), 1u);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(store->Load(Kind::kJob)->size(), 1u);
}

TEST(MemoryStore, Crash_LosesWhatWasNotFlushedAndTellsNobody) {
  auto disk = std::make_shared<MemoryDisk>();
  auto store = MemoryStore::Open(disk, MemoryStore::Mode::kByHand);
  store->Commit(One("a"), [](const absl::Status& s) { EXPECT_TRUE(s.ok()); });
  store->Flush();
  store->Commit(One("b"), [](const absl::Status&) { ADD_FAILURE() << "told"; });
  store->Crash();
  EXPECT_EQ(MemoryStore::Open(disk)->Load(Kind::kJob)->size(), 1u);
}

TEST(MemoryStore, OlderOpening_CanWriteNoMore) {
  auto disk = std::make_shared<MemoryDisk>();
  absl::Status status;
  auto older = MemoryStore::Open(disk);
  auto newer = MemoryStore::Open(disk);
  older->Commit(One("a"), [&](const absl::Status& s) { status = s; });
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(newer->Load(Kind::kJob)->empty());
}

TEST(MemoryStore, FailWith_FailsBatchesUntilCleared) {
  absl::Status status;
  auto store = MemoryStore::Open(std::make_shared<MemoryDisk>());
  store->FailWith(absl::UnavailableError("full"));
  store->Commit(One("a"), [&](const absl::Status& s) { status = s; });
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(store->Load(Kind::kJob)->empty());
  store->FailWith(absl::OkStatus());
  store->Commit(One("a"), [&](const absl::Status& s) { status = s; });
  EXPECT_TRUE(status.ok());
}

}  // namespace
}  // namespace muster::store
