#include "lib/queue/turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace muster::queue {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

Turn Of(const std::string& uid, int priority, double hours, const std::string& ns = "a", int64_t sequence = 0) {
  return {priority, kStart + hours * absl::Hours(1), sequence, JobUid(uid), ns};
}

std::string Order(const std::vector<Turn>& turns, const std::map<std::string, int64_t>& held = {},
                  const Policy& policy = {}, int64_t nodes = 1) {
  std::vector<Entry> entries;
  for (const Turn& turn : turns) entries.push_back({&turn, nodes});
  std::string text;
  for (const size_t i : InOrder(entries, held, policy)) text += turns[i].uid.value();
  return text;
}

TEST(Turn, PriorityThenSubmissionThenSequence) {
  EXPECT_EQ(Order({Of("c", 0, 2), Of("a", 5, 3), Of("b", 0, 1)}), "abc");
  EXPECT_EQ(Order({Of("c", 0, 1, "a", 2), Of("b", 0, 1, "a", 1), Of("a", 0, 1, "a", 0)}), "abc");
}

TEST(Turn, APointIsWorthADay) {
  // p waits 23 h more than q: q's point counts for more; 25 h more: it doesn't.
  EXPECT_EQ(Order({Of("p", 0, 0), Of("q", 1, 23)}), "qp");
  EXPECT_EQ(Order({Of("p", 0, 0), Of("q", 1, 25)}), "pq");
  Policy hour;
  hour.ageing = absl::Hours(1);
  EXPECT_EQ(Order({Of("p", 0, 0), Of("q", 10, 9)}, {}, hour), "qp");
  EXPECT_EQ(Order({Of("p", 0, 0), Of("q", 10, 11)}, {}, hour), "pq");
}

TEST(Turn, ExtremePriorities_DoNotOverflow) {
  Policy year;
  year.ageing = absl::Hours(24 * 365);
  EXPECT_EQ(Order({Of("z", -1'000'000, 0), Of("a", 1'000'000, 0), Of("m", 0, 0)}, {}, year), "amz");
}

TEST(Turn, EqualPriorities_AreDealtOutByNamespace) {
  const std::vector<Turn> turns = {Of("1", 0, 0, "a", 1), Of("2", 0, 0, "a", 2), Of("3", 0, 0, "a", 3),
                                   Of("x", 0, 1, "b", 4), Of("y", 0, 1, "b", 5)};
  EXPECT_EQ(Order(turns), "1x2y3");
  EXPECT_EQ(Order(turns, {{"a", 2}}), "xy123") << "b catches up first";
  Policy policy;
  policy.shares = {{"a", 2}};
  EXPECT_EQ(Order(turns, {}, policy), "1x23y") << "a has twice the weight";
}

TEST(Turn, Shares_NeverMoveAJobPastOneThatHasWaitedADayLonger) {
  std::vector<Turn> turns = {Of("1", 0, 0, "a", 1), Of("x", 0, 25, "b", 2)};
  EXPECT_EQ(Order(turns, {{"a", 1000}}), "1x");
  turns[1] = Of("x", 0, 23, "b", 2);
  EXPECT_EQ(Order(turns, {{"a", 1000}}), "x1");
}

TEST(Turn, Shares_NeverMoveAJobPastAnotherPriority) {
  // Key order: 1 (a, 0), p (b, 1), x (b, 0); b has nothing, but x may not pass p, nor 1.
  EXPECT_EQ(Order({Of("1", 0, 0, "a", 1), Of("p", 1, 24.5, "b", 2), Of("x", 0, 0.7, "b", 3)}, {{"a", 9}}), "1px");
}

TEST(Turn, RandomQueues_KeepTheRules) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    Policy policy;
    policy.ageing = absl::Hours(1 + random() % 30);
    if (random() % 2) policy.shares = {{"a", 1 + random() % 3}, {"*", 2}};
    std::vector<Turn> turns;
    const int count = 1 + random() % 9;
    for (int i = 0; i < count; ++i) {
      turns.push_back(Of(std::string(1, static_cast<char>('A' + i)), random() % 3, random() % 60,
                         std::string(1, static_cast<char>('a' + random() % 3)), i));
    }
    const std::map<std::string, int64_t> held = {{"a", random() % 5}, {"b", random() % 5}};
    const std::string order = Order(turns, held, policy, 1 + random() % 3);
    std::map<char, const Turn*> by_name;
    for (const Turn& turn : turns) by_name[turn.uid.value()[0]] = &turn;
    ASSERT_EQ(order.size(), turns.size());
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t j = i + 1; j < order.size(); ++j) {
        const Turn &first = *by_name[order[i]], &second = *by_name[order[j]];
        if (GoesBefore(first, second, policy)) continue;
        ASSERT_EQ(first.priority, second.priority) << order << ": different priorities keep to their keys";
        ASSERT_NE(first.ns, second.ns) << order << ": a namespace keeps to its keys";
        ASSERT_LE(KeyOf(first, policy), KeyOf(second, policy) + policy.ageing) << order;
      }
    }
    std::shuffle(turns.begin(), turns.end(), random);
  }
}

}  // namespace
}  // namespace muster::queue
