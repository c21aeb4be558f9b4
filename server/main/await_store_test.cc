#include "server/main/await_store.h"

#include <gtest/gtest.h>

#include "server/store/memory_store.h"

namespace muster::musterd {
namespace {

using Opened = absl::StatusOr<std::unique_ptr<store::Store>>;

TEST(AwaitStore, FullDisk_IsWaitedFor) {
  int tries = 0, pauses = 0;
  const Opened store = AwaitStore(
      [&]() -> Opened {
        if (++tries < 4) return absl::UnavailableError("full");
        return store::MemoryStore::Open(std::make_shared<store::MemoryDisk>());
      },
      [&](absl::Duration) { return ++pauses > 0; });
  ASSERT_TRUE(store.ok() && *store != nullptr);
  EXPECT_EQ(tries, 4);
  EXPECT_EQ(pauses, 3);
}

TEST(AwaitStore, AnyOtherError_IsFinal) {
  const Opened store =
      AwaitStore([]() -> Opened { return absl::DataLossError("damaged"); }, [](absl::Duration) { return true; });
  EXPECT_TRUE(absl::IsDataLoss(store.status()));
}

TEST(AwaitStore, EndWhileItWaits_OpensNothing) {
  const Opened store =
      AwaitStore([]() -> Opened { return absl::UnavailableError("full"); }, [](absl::Duration) { return false; });
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(*store, nullptr);
}

}  // namespace
}  // namespace muster::musterd
