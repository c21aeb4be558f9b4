#include "lib/queue/victims.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lib/queue/test_jobs.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::Request;

bool Anybody(const Holder&) { return true; }

TEST(Victims, TheLeastWorkIsLost_NotTheFewestJobs) {
  Cluster cluster = Six();
  const Request two = Wants("x/two", {.nodes = 2}), one = Wants("x/one", {.nodes = 1}),
                three = Wants("y/three", {.nodes = 3});
  // Free: b2. Needed: two more of six.
  const std::vector<Holder> holders = {Holds(two, {"a1", "a2"}, absl::Hours(5), absl::Hours(1), cluster),
                                       Holds(one, {"a3"}, absl::Hours(4), absl::Hours(1), cluster),
                                       Holds(one, {"a4"}, absl::Hours(3), absl::Hours(1), cluster),
                                       Holds(one, {"b1"}, absl::Hours(8), absl::Hours(1), cluster)};
  const Demand demand = DemandOf(three, cluster);
  const Horizon horizon(cluster, holders, kNow);
  const auto victims = ChooseVictims(demand, cluster, horizon.FreeBy(demand, kNow), holders, kNow, Anybody);
  ASSERT_TRUE(victims);
  EXPECT_EQ(victims->holders, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(victims->lost, 7 * 3600);
}

TEST(Victims, OnlyThoseWhoMay_AndWhereItHelps) {
  Cluster cluster = Six();
  const Request two = Wants("x/two", {.nodes = 2}), rack = Wants("y/rack", {.nodes = 3, .required = "rack"});
  std::vector<Holder> holders = {Holds(two, {"a1", "a2"}, absl::Hours(5), absl::Hours(1), cluster),
                                 Holds(two, {"b1", "b2"}, absl::Hours(1), absl::Hours(1), cluster)};
  const Demand demand = DemandOf(rack, cluster);
  const auto choose = [&] {
    const Horizon horizon(cluster, holders, kNow);
    return ChooseVictims(demand, cluster, horizon.FreeBy(demand, kNow), holders, kNow, Anybody);
  };
  ASSERT_TRUE(choose());
  EXPECT_EQ(choose()->holders, std::vector<size_t>{0}) << "rack r2 is too small, however cheap";
  holders[0].preemptible = false;
  EXPECT_FALSE(choose());
}

TEST(Victims, Overflow_IsNone) {
  Holder old;
  old.since = absl::InfinitePast();
  old.nodes.resize(20'000);
  EXPECT_GT(WorkOf(old, kNow), 0);
  EXPECT_LT(WorkOf(old, kNow), std::numeric_limits<int64_t>::max() / 512);
}

// Against all subsets.
TEST(Victims, RandomHolders_TheOptimum) {
  std::mt19937 random(11);
  for (int round = 0; round < 10'000; ++round) {
    Cluster cluster = placement::ClusterOf(
        {"rack"}, {{{"r1"}, placement::NodeNames("a", 5)}, {{"r2"}, placement::NodeNames("b", 4)}});
    const bool required = random() % 2 == 0;
    const Request wanted = Wants(
        "y/w", {.nodes = static_cast<int>(1 + random() % (required ? 5 : 9)), .required = required ? "rack" : ""});
    const Request any = Wants("x/any", {.nodes = 1});
    std::vector<Holder> holders;
    std::vector<std::vector<std::string>> owned(5);
    for (int node = 0; node < 9; ++node) {
      const size_t owner = random() % 6;
      if (owner < owned.size())
        owned[owner].push_back(node < 5 ? "a" + std::to_string(node + 1) : "b" + std::to_string(node - 4));
    }
    for (const auto& nodes : owned) {
      if (!nodes.empty()) holders.push_back(Holds(any, nodes, absl::Minutes(random() % 50), absl::Hours(1), cluster));
    }
    const Demand demand = DemandOf(wanted, cluster);
    const Horizon horizon(cluster, holders, kNow);
    const NodeSet free = horizon.Free(demand);
    if (demand.Fits(free)) continue;
    int64_t best = -1;
    for (size_t subset = 1; subset < (size_t{1} << holders.size()); ++subset) {
      NodeSet usable = free;
      int64_t lost = 0;
      for (size_t i = 0; i < holders.size(); ++i) {
        if ((subset >> i & 1) == 0) continue;
        lost += WorkOf(holders[i], kNow);
        for (const NodeIndex node : holders[i].nodes) usable[node.value()] = true;
      }
      if (demand.Fits(usable) && (best < 0 || lost < best)) best = lost;
    }
    const auto victims = ChooseVictims(demand, cluster, free, holders, kNow, Anybody);
    ASSERT_EQ(victims.has_value(), best >= 0) << "round " << round;
    if (victims) {
      ASSERT_EQ(victims->lost, best) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace muster::queue
