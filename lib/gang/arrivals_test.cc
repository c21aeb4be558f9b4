// Calls of members, well-meant and not: races of incarnations in any order, repeats, indexes and epochs out of this
// world.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "lib/gang/gang_harness.h"

namespace muster::gang {
namespace {

// 64 incarnations of index 0 race in any order of arrival: the greatest wins, 63 are refused; with member 1 here the
// winner alone gets ranks.
TEST(Arrivals, RacingIncarnations_TheGreatestWinsInAnyOrder) {
  std::vector<Incarnation> starts;
  for (int i = 0; i < 64; ++i) starts.push_back(InPod(i / 16, i / 4 % 4, "uid-" + std::to_string(i / 2 % 2), i % 2));
  const Incarnation greatest = *std::max_element(starts.begin(), starts.end());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::shuffle(starts.begin(), starts.end(), random);
    Harness h;
    h.ToAssembling({0, 1});
    for (const Incarnation& start : starts) h.Call(0, start, 0);
    h.Call(1, OnHost(1), 1);
    ASSERT_EQ(h.phase(), v1::RUNNING);
    int refused = 0;
    for (const Incarnation& start : starts) {
      const Answer answer = h.Ask(0, start, 0);
      EXPECT_EQ(answer.outcome, start == greatest ? v1::READY : v1::SUPERSEDED);
      refused += answer.outcome == v1::SUPERSEDED;
    }
    EXPECT_EQ(refused, 63);
  }
}

// The same call 64 times, before and after the release: one presence, the same bytes.
TEST(Arrivals, RepeatedCall_SameBytesWithinTheEpoch) {
  Harness h;
  h.ToAssembling({0, 1});
  for (int i = 0; i < 64; ++i) {
    const Change change = h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(1), .node = "n0"});
    EXPECT_FALSE(change.durable) << "an ordinary arrival changes nothing durable";
    EXPECT_FALSE(change.demands);
  }
  EXPECT_EQ(MissingMembers(h.gang).count, 1);
  h.Call(1, OnHost(1), 1);
  const std::string bytes = h.Bytes(0);
  for (int i = 0; i < 64; ++i) {
    const Answer answer = h.Call(0, OnHost(1), 0);
    ASSERT_EQ(answer.outcome, v1::READY);
    EXPECT_EQ(*answer.assignment, bytes);
  }
  EXPECT_EQ(h.gang.epoch, Epoch(1));
}

// The order in which members come decides nothing: the same bytes whoever was first.
TEST(Arrivals, OrderOfArrival_DecidesNothing) {
  std::vector<int> order = {0, 1, 2, 3};
  std::set<std::string> bytes;
  do {
    Harness h({.members = 4});
    h.ToAssembling({2, 0, 3, 1});
    for (const int index : order) h.Call(index, OnHost(1), 3 - index);
    ASSERT_EQ(h.phase(), v1::RUNNING);
    std::string all;
    for (int index = 0; index < 4; ++index) all += h.Bytes(index);
    bytes.insert(all);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(bytes.size(), 1u);
}

// Superseding and refusing are durable before anyone is told; the second refusal changes nothing more.
TEST(Arrivals, Supersession_IsDurable) {
  Harness h;
  EXPECT_FALSE(h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(5), .node = "n0"}).durable);
  EXPECT_TRUE(h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(4), .node = "n0"}).durable);
  EXPECT_FALSE(h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(3), .node = "n0"}).durable);
  EXPECT_TRUE(h.Do(MemberCalled{.index = PodIndex(0), .incarnation = OnHost(6), .node = "n0"}).durable);
  h.Restart();
  EXPECT_EQ(h.Call(0, OnHost(5), 0).outcome, v1::SUPERSEDED);
}

TEST(Arrivals, IndexesOutOfRange_AreRefusedAndChangeNothing) {
  Harness h({.members = 2, .workers = 2});
  h.ToAssembling({0, 1});
  struct {
    int32_t index;
    std::optional<int32_t> local_rank;
  } const rows[] = {
      {-1, {}}, {2, {}}, {std::numeric_limits<int32_t>::max(), {}}, {std::numeric_limits<int32_t>::min(), {}},
      {0, -1},  {0, 2},  {0, std::numeric_limits<int32_t>::max()}};
  for (const auto& row : rows) {
    const Change change = h.Do(MemberCalled{
        .index = PodIndex(row.index), .incarnation = OnHost(1), .local_rank = row.local_rank, .node = "n0"});
    EXPECT_FALSE(change.durable || change.demands || change.wake_all);
    const Answer answer = h.Ask(row.index, OnHost(1), 0, row.local_rank);
    EXPECT_EQ(answer.outcome, v1::BAD_REQUEST);
    EXPECT_NE(answer.why.find("outside 0..1"), std::string::npos) << answer.why;
    h.Do(MemberHungUp{PodIndex(row.index), OnHost(1), row.local_rank});
    h.Do(CommandEnded{PodIndex(row.index), OnHost(1), row.local_rank, Epoch(1), 1, false});
    if (row.index == 0) continue;
    h.Do(PodBound{PodIndex(row.index), OnHost(1), "n0"});
    h.Do(PodTerminating{PodIndex(row.index), OnHost(1)});
    h.Do(PodGone{PodIndex(row.index), OnHost(1)});
    h.Do(LeaseLost{PodIndex(row.index)});
    h.Do(LeaseRenewed{PodIndex(row.index), OnHost(1)});
  }
  EXPECT_EQ(h.gang.here.count(), 0);
  EXPECT_LE(h.gang.members.size(), 1u);
}

// Reports of the running command count; those of other epochs, incarnations, or twice, do not.
TEST(Arrivals, ExitsOfOtherEpochsAndIncarnations_CountForNothing) {
  Harness h;
  h.ToRunning({0, 1});
  for (const int64_t epoch : {int64_t{0}, int64_t{2}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    h.Do(CommandEnded{PodIndex(0), OnHost(1), std::nullopt, Epoch(epoch), 1, false});
  }
  h.Do(CommandEnded{PodIndex(0), OnHost(7), std::nullopt, Epoch(1), 1, false});
  h.Do(CommandEnded{PodIndex(0), OnHost(1), 0, Epoch(1), 1, false});
  EXPECT_EQ(h.phase(), v1::RUNNING);
  h.Exit(0, 0);
  h.Exit(0, 0);
  h.Exit(0, 9);
  EXPECT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(h.As<Running>().exited, 1);
}

// A survivor runs again under the same incarnation; a late repeat of its report of epoch 1 does not end epoch 2's
// command.
TEST(Arrivals, RepeatedReportOfTheEpochBefore_EndsNothingOfThisOne) {
  Harness h;
  h.ToRunning({0, 1});
  h.Exit(1, 1);
  const CommandEnded report{PodIndex(0), OnHost(1), std::nullopt, Epoch(1), 143, true};
  h.Do(report);
  h.PlanTest();
  h.Conclude(TestConcluded::Outcome::kPassed);
  h.ConfirmAll();
  h.Call(0, OnHost(1), 0);
  h.Call(1, OnHost(2), 1);
  ASSERT_EQ(h.gang.epoch, Epoch(2));
  h.Do(report);
  EXPECT_EQ(h.phase(), v1::RUNNING);
  h.Do(CancelRequested{""});
  h.Do(report);
  EXPECT_EQ(h.Use(0), "stopping");
  h.Exit(0, 143, true);
  EXPECT_EQ(h.Use(0), "");
}

// The answer of epoch 1 was lost on its way to member 0, which therefore has nothing to report: it says so by the epoch
// of the last assignment that it had, and the repair goes on.
TEST(Arrivals, LostAnswer_DoesNotHoldUpTheRepair) {
  for (const bool says : {false, true}) {
    Harness h;
    h.ToRunning({0, 1});
    h.Exit(1, 1);
    MemberCalled call{.index = PodIndex(0), .incarnation = OnHost(1), .node = "n0"};
    if (says) call.last_epoch = Epoch(0);
    h.Do(call);
    EXPECT_EQ(WantsTestPlan(h.gang), says);
    call.last_epoch = Epoch(1);
    h.Do(call);
    EXPECT_EQ(WantsTestPlan(h.gang), says) << "it has had that one, so its command may run";
  }
}

// The same call, but long on its way: the member called again, has the answer and watches the epoch. What the old call
// says must not end a command that runs.
TEST(Arrivals, LateCallOfOneThatWatchesTheEpoch_EndsNothing) {
  for (const bool watches : {true, false}) {
    Harness h;
    h.ToRunning({0, 1});
    MemberCalled late{.index = PodIndex(0), .incarnation = OnHost(1), .node = "n0"};
    late.last_epoch = Epoch(0);
    h.Do(MemberWatches{PodIndex(0), OnHost(7), std::nullopt, Epoch(1)});  // another's
    h.Do(MemberWatches{PodIndex(0), OnHost(1), std::nullopt, Epoch(9)});  // an epoch that was never given
    if (watches) {
      EXPECT_FALSE(h.Do(MemberWatches{PodIndex(0), OnHost(1), std::nullopt, Epoch(1)}).durable);
    }
    h.Exit(1, 1);
    h.Do(late);
    EXPECT_EQ(WantsTestPlan(h.gang), !watches);
  }
}

TEST(Arrivals, LateCallOfAWorkerThatWatches_EndsNothing) {
  Harness h({.members = 1, .workers = 2});
  h.ToAssembling({0});
  for (int local = 0; local < 2; ++local) h.Call(0, InPod(0, 1, "p"), 0, local);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Do(MemberWatches{PodIndex(0), InPod(0, 1, "p"), 0, Epoch(1)});
  h.Do(NodeChanged{Uid(0), "boot id"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  for (const int local : {1, 0}) {
    h.Do(MemberCalled{.index = PodIndex(0),
                      .incarnation = InPod(0, 1, "p"),
                      .local_rank = local,
                      .node = "n0",
                      .last_epoch = Epoch(0)});
    EXPECT_FALSE(WantsTestPlan(h.gang)) << "worker 0 watches, so its command runs";
  }
}

// With several members on a node they take its ranks in the order of their indexes.
TEST(Arrivals, SeveralMembersOnANode_HaveConsecutiveRanks) {
  Harness h({.members = 4});
  h.ToAssembling({5, 5, 2, 2});
  for (const auto& [index, node] : std::vector<std::pair<int, int>>{{3, 5}, {0, 2}, {2, 2}, {1, 5}}) {
    h.Call(index, OnHost(1), node);
  }
  ASSERT_EQ(h.phase(), v1::RUNNING);
  const auto& members = h.As<Running>().released->members;
  EXPECT_EQ(members.at(PodIndex(1)).rank, NodeRank(0));
  EXPECT_EQ(members.at(PodIndex(3)).rank, NodeRank(1));
  EXPECT_EQ(members.at(PodIndex(0)).rank, NodeRank(2));
  EXPECT_EQ(members.at(PodIndex(2)).rank, NodeRank(3));
}

// Agents start index i on the node of rank i, also where several share one.
TEST(Arrivals, AgentsStartIndexIOnTheNodeOfRankI) {
  Harness h({.members = 4, .workers = 2, .launch = v1::LaunchSpec::AGENT});
  h.ToTesting({5, 5, 2, 2});
  const v1::RunTest test = Orders(h.gang).at(Uid(2)).run_test();
  ASSERT_EQ(test.workers_size(), 4);
  EXPECT_EQ(test.workers(0).global_rank(), 4);
  EXPECT_EQ(test.workers(3).global_rank(), 7);
  EXPECT_EQ(test.workers(3).node_rank(), 3);
  EXPECT_EQ(test.world(), 8);
  h.Conclude(TestConcluded::Outcome::kPassed);
  h.ConfirmAll();
  const v1::StartMembers start = Orders(h.gang).at(Uid(2)).start_members();
  ASSERT_EQ(start.members_size(), 2);
  EXPECT_EQ(start.members(0).pod_index(), 2);
  EXPECT_EQ(start.members(1).pod_index(), 3);
  EXPECT_EQ(start.command(0), "train");
}

// Every node's order has every step of the plan, but only the groups that it has a worker in.
TEST(Arrivals, TestOrders_HaveOnlyTheNodesGroups) {
  Harness h({.members = 2, .workers = 2});
  h.Place({0, 1});
  auto plan = std::make_shared<v1::TestPlan>();
  plan->set_round(1);
  plan->set_placement_digest("digest-0-1");
  const auto group = [](v1::TestStep* step, int64_t base, int64_t stride, int64_t size) {
    auto* ranks = step->add_groups()->mutable_ranks();
    ranks->set_base(base);
    ranks->add_strides(stride);
    ranks->add_sizes(size);
  };
  v1::TestStep* tp = plan->add_steps();
  group(tp, 0, 1, 2);
  group(tp, 2, 1, 2);
  v1::TestStep* dp = plan->add_steps();
  group(dp, 0, 2, 2);
  group(dp, 1, 2, 2);
  v1::TestStep* odd = plan->add_steps();
  odd->add_groups()->mutable_ranks()->add_members(3);
  group(odd, std::numeric_limits<int64_t>::max(), 1, 2);  // no rank of this world
  group(odd, 0, 1, std::numeric_limits<int64_t>::max());  // no group is that large
  h.Do(TestPlanned{TestId("t"), plan});
  const v1::TestPlan at0 = Orders(h.gang).at(Uid(0)).run_test().plan();
  const v1::TestPlan at1 = Orders(h.gang).at(Uid(1)).run_test().plan();
  ASSERT_EQ(at0.steps_size(), 3);
  EXPECT_EQ(at0.steps(0).groups_size(), 1);
  EXPECT_EQ(at1.steps(0).groups(0).ranks().base(), 2);
  EXPECT_EQ(at0.steps(1).groups_size(), 2);
  EXPECT_EQ(at0.steps(2).groups_size(), 0);
  EXPECT_EQ(at1.steps(2).groups_size(), 1);
}

// A large gang: every arrival is answered at once, and the last one releases all.
TEST(Arrivals, ManyMembers_EachArrivalIsCheap) {
  const int members = 4096;
  Gang gang = Harness({.members = members}).gang;
  auto placement = std::make_shared<v1::Placement>();
  for (int i = 0; i < members; ++i) {
    auto* placed = placement->add_ranks();
    placed->set_node("n" + std::to_string(i));
    placed->set_node_uid("u" + std::to_string(i));
    placed->set_pod_index(-1);
  }
  placement->set_digest("d");
  const absl::Time now = absl::UnixEpoch();
  Step(gang, PlacementFound{placement}, now);
  Step(gang, ReceiptFound{ReceiptId("r"), "d"}, now);
  ASSERT_EQ(PhaseOf(gang.state), v1::ASSEMBLING);
  for (int i = members - 1; i >= 0; --i) {
    const Caller caller{PodIndex(i), OnHost(1), std::nullopt, "n" + std::to_string(i)};
    Step(gang, MemberCalled{.index = caller.index, .incarnation = caller.incarnation, .node = caller.node}, now);
    EXPECT_EQ(AnswerTo(gang, caller).outcome, i == 0 ? v1::READY : v1::OUTCOME_NOT_READY);
  }
  EXPECT_EQ(PhaseOf(gang.state), v1::RUNNING);
}

}  // namespace
}  // namespace muster::gang
