#include "lib/base/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace muster {
namespace {

TEST(Mailbox, Items_ComeInTheirOrder) {
  Mailbox<int> box;
  for (const int i : {3, 1, 2}) box.Put(i);
  for (const int i : {3, 1, 2}) EXPECT_EQ(box.Take(absl::InfiniteFuture()), i);
}

TEST(Mailbox, Empty_AnswersAtTheDeadline) {
  Mailbox<int> box;
  EXPECT_EQ(box.Take(absl::InfinitePast()), std::nullopt);
  const absl::Time deadline = absl::Now() + absl::Milliseconds(1);
  EXPECT_EQ(box.Take(deadline), std::nullopt);
  EXPECT_GE(absl::Now(), deadline);
}

TEST(Mailbox, PastDeadline_StillTakesWhatIsThere) {
  Mailbox<std::unique_ptr<int>> box;
  box.Put(std::make_unique<int>(7));
  EXPECT_EQ(**box.Take(absl::InfinitePast()), 7);
}

TEST(Mailbox, ManyThreadsPut_NothingIsLostAndEachOnesOrderStays) {
  constexpr int kThreads = 4;
  constexpr int kItems = 1000;
  Mailbox<std::pair<int, int>> box;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&box, t] {
      for (int i = 0; i < kItems; ++i) box.Put({t, i});
    });
  }
  std::vector<int> next(kThreads, 0);
  for (int taken = 0; taken < kThreads * kItems; ++taken) {
    const auto item = box.Take(absl::InfiniteFuture());
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(item->second, next[item->first]++);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(box.Take(absl::InfinitePast()), std::nullopt);
}

}  // namespace
}  // namespace muster
