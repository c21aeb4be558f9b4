#include "server/core/loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "server/core/fake_clock.h"
#include "server/core/system_clock.h"

namespace muster::core {
namespace {

TEST(Loop, ManyTasks_OneTurnEnd) {
  FakeClock clock;
  Loop loop(clock, {});
  int ran = 0, turns = 0;
  loop.SetHooks({.on_alarm = nullptr, .on_turn_end = [&] { ++turns; }});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(loop.Post([&] { ++ran; }));
  EXPECT_EQ(loop.RunUntilIdle(), 1);
  EXPECT_EQ(ran, 10);
  EXPECT_EQ(turns, 1);
}

TEST(Loop, Full_RefusesOuterOnly) {
  FakeClock clock;
  Loop loop(clock, {.capacity = 1});
  EXPECT_TRUE(loop.Post([] {}));
  EXPECT_FALSE(loop.Post([] {}));
  int ran = 0;
  loop.PostInternal([&] { ++ran; });
  loop.RunUntilIdle();
  EXPECT_EQ(ran, 1);
}

TEST(Loop, Held_OnlyInternalMoves) {
  FakeClock clock;
  Loop loop(clock, {});
  std::vector<int> order;
  loop.Hold(true);
  loop.Post([&] { order.push_back(1); });
  loop.PostInternal([&] { order.push_back(2); });
  loop.RunUntilIdle();
  EXPECT_EQ(order, std::vector<int>({2}));
  loop.PostInternal([&] { loop.Hold(false); });
  loop.RunUntilIdle();
  EXPECT_EQ(order, std::vector<int>({2, 1}));
}

TEST(Loop, Alarm_RingsOnceWhenDue) {
  FakeClock clock;
  Loop loop(clock, {});
  int rang = 0;
  loop.SetHooks({.on_alarm = [&] { ++rang; }, .on_turn_end = nullptr});
  loop.SetAlarm(clock.Now() + absl::Seconds(1));
  loop.RunUntilIdle();
  EXPECT_EQ(rang, 0);
  clock.Advance(absl::Seconds(1));
  loop.RunUntilIdle();
  loop.RunUntilIdle();
  EXPECT_EQ(rang, 1);
}

TEST(Loop, Threads_EveryTaskRunsOnce) {
  SystemClock clock;
  Loop loop(clock, {.turn = 7});
  std::atomic<int> ran{0};
  loop.Start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) loop.Post([&] { ++ran; });
    });
  for (std::thread& thread : threads) thread.join();
  loop.Stop();
  EXPECT_FALSE(loop.Post([] {}));
  loop.RunRemaining();
  EXPECT_EQ(ran, 4000);
}

}  // namespace
}  // namespace muster::core
