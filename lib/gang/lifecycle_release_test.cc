// Lifecycle rules 19-24: presence, restarts, incarnations and leaders. One story a rule.

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;

HarnessOptions Kueue() { return {.source = v1::PlacementSpec::KUEUE, .owned = true}; }

// A survivor is present for the next epoch only when its old command is reported ended and it has called again, with
// the same incarnation if it likes.
TEST(Rule19Presence, CountedAnewForEachEpoch) {
  Harness h;
  h.ToRunning({0, 1});
  const std::string first = h.Bytes(0);
  h.Exit(1, 1);
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  h.Call(0, OnHost(1), 0);  // before it has ended its command
  h.Call(1, OnHost(2), 1);
  EXPECT_FALSE(WantsTestPlan(h.gang));
  h.Do(CommandEnded{PodIndex(0), OnHost(1), std::nullopt, Epoch(1), 143, true});
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(h.gang.epoch, Epoch(2));
  EXPECT_NE(h.Bytes(0), first);
  EXPECT_EQ(h.Ask(0, OnHost(1), 0).outcome, v1::READY);
  EXPECT_EQ(WatchFor(h.gang, {PodIndex(0), OnHost(1), std::nullopt, "n0"}, Epoch(1)).order,
            Watch::Order::kStopAndRejoin);
}

// A host is lost under members that agents start. The survivors hear that the epoch is over and call again before their
// own agents have ended and started them anew: were that presence, the new epoch would begin with processes that are
// about to be ended, and end at once. One lost host is one epoch.
TEST(Rule19Presence, SurvivorThatItsAgentIsAboutToReplace_IsNotPresent) {
  Harness h({.members = 3, .launch = v1::LaunchSpec::AGENT});
  h.ToRunning({0, 1, 2});
  const Incarnation old = *h.gang.members.at(PodIndex(0)).incarnation;
  h.Do(NodeLost{Uid(1), "no heartbeat"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  for (const int survivor : {0, 2}) {
    EXPECT_EQ(WatchFor(h.gang, {PodIndex(survivor), old, std::nullopt, Name(survivor)}, Epoch(1)).order,
              Watch::Order::kStopAndRejoin);
    EXPECT_EQ(h.Call(survivor, old, survivor).outcome, v1::OUTCOME_NOT_READY);
  }
  h.Do(ReplacementFound{PlacementOn({0, 3, 2})});
  for (const int survivor : {0, 2}) h.Confirm(survivor, h.OrderNumberOf(survivor));
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::ASSEMBLING);
  const Incarnation fresh = StartedIncarnation(h.gang, h.As<Assembling>().started);
  EXPECT_EQ(h.gang.here.count(), 0) << "calls of the start before count for nothing";
  h.Call(1, fresh, 3);
  for (const int survivor : {0, 2}) EXPECT_EQ(h.Call(survivor, old, survivor).outcome, v1::OUTCOME_NOT_READY);
  ASSERT_EQ(h.phase(), v1::ASSEMBLING);
  for (const int survivor : {2, 0}) h.Call(survivor, fresh, survivor);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(h.gang.epoch, Epoch(2));
  EXPECT_EQ(h.gang.restarts, 1);
  for (const int index : {0, 1, 2}) {
    EXPECT_EQ(h.As<Running>().released->members.at(PodIndex(index)).rank, NodeRank(index)) << "nobody moves";
  }
  for (const int survivor : {0, 2}) {
    EXPECT_EQ(h.Call(survivor, old, survivor).outcome, v1::SUPERSEDED);
    EXPECT_EQ(h.Ask(survivor, fresh, survivor).outcome, v1::READY);
  }
  EXPECT_EQ(h.phase(), v1::RUNNING) << "a late call of the old start ends nothing";
}

// A call that hung up is no presence; nor is a terminating pod, nor one on another node.
TEST(Rule19Presence, HungUpTerminatingOrElsewhere_IsAbsent) {
  Harness h;
  h.ToAssembling({0, 1});
  h.Call(0, OnHost(1), 0);
  h.Do(MemberHungUp{PodIndex(0), OnHost(1), std::nullopt});
  h.Call(1, OnHost(1), 1);
  EXPECT_EQ(MissingMembers(h.gang).count, 1);
  const Answer elsewhere = h.Call(0, OnHost(2), 7);
  EXPECT_EQ(elsewhere.outcome, v1::WRONG_NODE);
  EXPECT_EQ(elsewhere.nodes, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  h.Call(0, OnHost(3), 0);
  EXPECT_EQ(h.phase(), v1::RUNNING);
}

// Where others place pods, one that lands outside the placement moves the placement.
TEST(Rule19Presence, PodOutsideThePlacement_IsRepairedFor) {
  Harness h(Kueue());
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  h.Do(PodBound{PodIndex(0), InPod(0, 1, "a"), "n0"});
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  h.Do(PodBound{PodIndex(1), InPod(0, 1, "b"), "n5"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_TRUE(WantsReplacement(h.gang));
  h.Do(ReplacementFound{PlacementOn({5, 1})});
  EXPECT_FALSE(WantsTestPlan(h.gang)) << "member 0 has not moved, so its rank must not";
  h.Do(ReplacementFound{PlacementOn({0, 5})});
  EXPECT_TRUE(WantsTestPlan(h.gang));
}

// Two members came to one node that has one rank: the later index is told where it belongs.
TEST(Rule19Presence, TwoMembersOnOneNode_TheGreaterIndexIsRefused) {
  Harness h;
  h.ToAssembling({0, 1});
  h.Call(0, OnHost(1), 0);
  EXPECT_EQ(h.Call(1, OnHost(1), 0).outcome, v1::WRONG_NODE);
  EXPECT_EQ(h.Ask(0, OnHost(1), 0).outcome, v1::OUTCOME_NOT_READY);
  EXPECT_EQ(h.Call(1, OnHost(2), 1).outcome, v1::READY);
}

// A pod dies, then the JobSet restarts all: the same placement again, as a new attempt; bound pods are awaited anew
// with the old placement as the preference.
TEST(Rule20Restart, AfterALoss_TheOwnersRestartTakesOver) {
  Harness h(Kueue());
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  h.Call(0, InPod(0, 1, "a"), 0);
  h.Call(1, InPod(0, 1, "b"), 1);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Do(PodGone{PodIndex(1), InPod(0, 1, "b")});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.gang.attempt, Attempt(0));
  h.Do(OwnerRestarted{1});
  ASSERT_EQ(h.phase(), v1::STOPPING) << "member 0 is still there";
  h.Do(PodGone{PodIndex(0), InPod(0, 1, "a")});
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_EQ(h.gang.attempt, Attempt(1));
  EXPECT_EQ(PlacementOf(h.gang.state)->digest(), "digest-0-1");
  h.Do(OwnerRestarted{1});
  EXPECT_EQ(h.phase(), v1::PLACED) << "the same counter, seen again";
}

TEST(Rule20Restart, BoundMembers_AreAwaitedWithTheOldPlacementPreferred) {
  Harness h({.source = v1::PlacementSpec::BOUND, .waived = true, .owned = true});
  for (int i = 0; i < 2; ++i) h.Call(i, InPod(0, 1, "p" + std::to_string(i)), i);
  h.Do(PlacementFound{PlacementOn({0, 1}, {0, 1})});
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Do(OwnerRestarted{1});
  for (int i = 0; i < 2; ++i) h.Do(PodGone{PodIndex(i), InPod(0, 1, "p" + std::to_string(i))});
  ASSERT_EQ(h.phase(), v1::AWAITING);
  EXPECT_EQ(h.As<Awaiting>().preferred->digest(), "digest-0-1");
  EXPECT_FALSE(WantsPlacement(h.gang));
  for (int i = 0; i < 2; ++i) h.Call(i, InPod(1, 9, "q" + std::to_string(i)), i);
  EXPECT_TRUE(WantsPlacement(h.gang));
}

// A JobSet that Muster made can't move: a lost node ends it, and a new one is made.
TEST(Rule21JobSet, DoesNotRepair) {
  Harness h({.launch = v1::LaunchSpec::KUBERNETES});
  h.ToTesting({0, 1});
  EXPECT_FALSE(WantsJobSet(h.gang));
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::ASSEMBLING);
  EXPECT_TRUE(WantsJobSet(h.gang));
  EXPECT_EQ(h.Order(0), "") << "agents do not start pods";
  h.Do(NodeLost{Uid(1), ""});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_FALSE(WantsJobSet(h.gang));
  h.Confirm(0, h.gang.order, EndConfirmed::By::kAgent);
  EXPECT_EQ(h.Use(0), "stopping") << "an agent can't speak for pods";
  h.Confirm(0, h.gang.order, EndConfirmed::By::kCluster);
  h.Confirm(1, h.gang.order, EndConfirmed::By::kCluster);
  EXPECT_EQ(h.phase(), v1::QUEUED);
}

// A and B live, B greater; B is deleted. A must not come back, not even after a restart of the coordinator.
TEST(Rule22Incarnations, OnceSuperseded_AlwaysSuperseded) {
  Harness h(Kueue());
  const Incarnation a = InPod(0, 5, "aaa");
  const Incarnation b = InPod(0, 6, "bbb");
  EXPECT_EQ(h.Call(0, b, 1).outcome, v1::OUTCOME_NOT_READY);
  EXPECT_EQ(h.Call(0, a, 0).outcome, v1::SUPERSEDED);
  h.Do(PodTerminating{PodIndex(0), b});
  h.Do(PodGone{PodIndex(0), b});
  h.Restart();
  EXPECT_EQ(h.Call(0, a, 0).outcome, v1::SUPERSEDED);
  EXPECT_EQ(h.Call(0, InPod(0, 6, "bbc"), 0).outcome, v1::OUTCOME_NOT_READY);
}

// The order is that of the fields, each before the next.
TEST(Rule22Incarnations, OrderedByRestartThenCreationThenUidThenOrdinal) {
  const std::vector<Incarnation> ascending = {InPod(0, 9, "z", 9), InPod(1, 1, "z", 9), InPod(1, 2, "a", 9),
                                              InPod(1, 2, "b", 1), InPod(1, 2, "b", 2)};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) EXPECT_EQ(ascending[i] < ascending[j], i < j) << i << " " << j;
  }
}

// In Running a newer start of a member ends the epoch; the old one is told at once, also while it waits.
TEST(Rule22Incarnations, SupersedingARunningMember_EndsTheEpoch) {
  Harness h;
  h.ToRunning({0, 1});
  const Change change = h.Do(MemberCalled{.index = PodIndex(1), .incarnation = OnHost(2), .node = "n1"});
  EXPECT_TRUE(change.durable);
  EXPECT_TRUE(change.wake.contains(PodIndex(1)));
  EXPECT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Ask(1, OnHost(1), 1).outcome, v1::SUPERSEDED);
  EXPECT_EQ(WatchFor(h.gang, {PodIndex(1), OnHost(1), std::nullopt, "n1"}, Epoch(1)).outcome, v1::SUPERSEDED);
  EXPECT_FALSE(WantsTestPlan(h.gang)) << "its command may still run";
}

// Agents start the members of this job, so Muster made every start that counts. Whoever else calls, with whatever
// incarnation and in whatever state, is refused and leaves nothing behind: the members stay the ones that count.
TEST(Rule22Incarnations, StrangerWhereAgentsStartTheMembers_CountsForNothing) {
  for (const v1::Phase phase :
       {v1::QUEUED, v1::TESTING, v1::ASSEMBLING, v1::RUNNING, v1::REPAIRING, v1::STOPPING, v1::FINISHED}) {
    SCOPED_TRACE(v1::Phase_Name(phase));
    Harness h({.launch = v1::LaunchSpec::AGENT});
    if (phase == v1::TESTING) h.ToTesting({0, 1});
    if (phase == v1::ASSEMBLING) h.ToAssembling({0, 1});
    if (phase == v1::RUNNING || phase >= v1::REPAIRING) h.ToRunning({0, 1});
    if (phase == v1::REPAIRING) h.Exit(0, 1);
    if (phase == v1::STOPPING || phase == v1::FINISHED) h.Do(CancelRequested{""});
    if (phase == v1::FINISHED) h.ConfirmAll();
    ASSERT_EQ(h.phase(), phase);
    const std::string uid = h.gang.uid.value();
    std::vector<Incarnation> strangers = {OnHost(1), OnHost(int64_t{1} << 60), InPod(1, 0, "", 1), InPod(1, 0, uid, 1),
                                          InPod(0, 1, uid, 1)};
    for (const int64_t ordinal : {int64_t{-1}, int64_t{0}, static_cast<int64_t>(h.gang.order.value()) + 1})
      strangers.push_back(StartedIncarnation(h.gang, OrderNumber(ordinal)));
    for (const Incarnation& stranger : strangers) {
      SCOPED_TRACE(stranger.ordinal);
      const size_t known = h.gang.members.size();
      const Change change = h.Do(MemberCalled{.index = PodIndex(1), .incarnation = stranger, .node = "n1"});
      EXPECT_FALSE(change.durable);
      EXPECT_EQ(h.gang.members.size(), known);
      const Answer answer = h.Ask(1, stranger, 1);
      if (phase == v1::STOPPING || phase == v1::FINISHED) {
        EXPECT_EQ(answer.outcome, v1::CANCELLED);
      } else {
        EXPECT_EQ(answer.outcome, v1::BAD_REQUEST);
        EXPECT_NE(answer.why.find("no process that Muster has started"), std::string::npos) << answer.why;
      }
    }
    EXPECT_EQ(h.phase(), phase);
  }
}

// The order that started them is the latest start, not merely some order: a stop's number is nobody's incarnation.
TEST(Rule22Incarnations, LaterOrderThanTheStart_IsAStranger) {
  Harness h({.members = 3, .launch = v1::LaunchSpec::AGENT});
  h.ToRunning({0, 1, 2});
  h.Do(NodeLost{Uid(1), "no heartbeat"});
  h.Do(ReplacementFound{PlacementOn({0, 3, 2})});
  for (const int survivor : {0, 2}) h.Confirm(survivor, h.OrderNumberOf(survivor));
  h.ToRunning({0, 3, 2});
  const int64_t started = h.gang.members.at(PodIndex(0)).incarnation->ordinal;
  h.gang.order = OrderNumber(started + 5);
  EXPECT_EQ(h.Call(0, StartedIncarnation(h.gang, OrderNumber(started + 1)), 0).outcome, v1::BAD_REQUEST);
  EXPECT_EQ(h.phase(), v1::RUNNING);
}

// Of a job that is over everybody hears how it ended: also who was superseded, for nothing newer lives (rule 2).
TEST(Rule22Incarnations, SupersededOfAFinishedJob_HearsHowItEnded) {
  Harness h;
  h.ToRunning({0, 1}, 7);
  EXPECT_EQ(h.Call(0, OnHost(6), 0).outcome, v1::SUPERSEDED);
  h.Exit(0, 0);
  h.Exit(1, 0);
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Call(0, OnHost(6), 0).outcome, v1::JOB_FINISHED);
  EXPECT_EQ(h.Call(0, OnHost(7), 0).outcome, v1::JOB_FINISHED);
}

// One call a worker: a new start of worker 1 supersedes worker 1 alone; the member is absent until all have called.
TEST(Rule23Workers, SupersedeOnlyTheirOwn) {
  Harness h({.members = 1, .workers = 2});
  h.ToAssembling({0});
  h.Call(0, OnHost(1), 0, 0);
  h.Call(0, OnHost(1), 0, 1);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  v1::Assignment own;
  ASSERT_TRUE(own.ParseFromString(*h.Ask(0, OnHost(1), 0, 1).assignment));
  EXPECT_EQ(own.local_rank(), 1);
  h.Call(0, OnHost(2), 0, 1);
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Ask(0, OnHost(1), 0, 1).outcome, v1::SUPERSEDED);
  EXPECT_EQ(h.Ask(0, OnHost(1), 0, 0).outcome, v1::OUTCOME_NOT_READY);
  EXPECT_EQ(MissingMembers(h.gang).count, 1);
}

// A worker's pod is replaced: every worker of the old pod is superseded by the first call of the new one.
TEST(Rule23Workers, NewPod_SupersedesAllOfTheOldOne) {
  Harness h({.members = 1, .workers = 2, .source = v1::PlacementSpec::BOUND});
  h.Call(0, InPod(0, 1, "a"), 0, 0);
  h.Call(0, InPod(0, 1, "a"), 0, 1);
  h.Call(0, InPod(0, 2, "b"), 0, 0);
  EXPECT_EQ(h.Ask(0, InPod(0, 1, "a"), 0, 1).outcome, v1::SUPERSEDED);
  EXPECT_EQ(h.Call(0, InPod(0, 1, "a"), 0, 1).outcome, v1::SUPERSEDED);
}

// A restarted coordinator knows nobody yet: every wait, lease and grace begins anew.
TEST(Rule24Leaders, Restart_GivesEveryWaitAFullPeriod) {
  Harness h;
  h.ToAssembling({0, 1});
  h.Call(0, OnHost(1), 0);
  h.Pass(absl::Minutes(9));
  h.Restart();
  EXPECT_EQ(MissingMembers(h.gang).count, 2) << "soft facts are learnt anew";
  h.Pass(absl::Minutes(9));
  ASSERT_EQ(h.phase(), v1::ASSEMBLING);
  h.ToRunning({0, 1});
  h.Do(LeaseLost{PodIndex(0)});
  h.Pass(absl::Minutes(1));
  h.Restart();
  h.Pass(absl::Minutes(1));
  EXPECT_EQ(h.phase(), v1::RUNNING);
  h.Exit(0, 0);
  h.Pass(absl::Minutes(4));
  h.Restart();
  h.Pass(absl::Minutes(4));
  EXPECT_EQ(h.phase(), v1::RUNNING);
}

// The same bytes after a restart; an epoch that this coordinator never made is left alone.
TEST(Rule24Leaders, Restart_RepeatsTheSameBytes) {
  Harness h({.members = 4});
  h.ToRunning({3, 1, 0, 2});
  const std::string bytes = h.Bytes(2);
  h.Restart();
  const Answer answer = h.Call(2, OnHost(1), 0);
  ASSERT_EQ(answer.outcome, v1::READY);
  EXPECT_EQ(*answer.assignment, bytes);
  EXPECT_EQ(WatchFor(h.gang, {PodIndex(2), OnHost(1), std::nullopt, "n0"}, Epoch(99)).order, Watch::Order::kContinue);
}

}  // namespace
}  // namespace muster::gang
