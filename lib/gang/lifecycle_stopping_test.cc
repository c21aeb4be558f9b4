// Lifecycle rules 5-12: stopping, orders and effects. One story a rule.

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"

namespace muster::gang {
namespace {

using By = EndConfirmed::By;
using Outcome = TestConcluded::Outcome;

// The JobSet restarts while the job is being stopped; a pod of the new attempt is on the node already. What has ended
// is the old pod: the new one keeps nothing waiting.
TEST(Rule05Ended, PodOfANewerAttempt_DoesNotDelayTheStop) {
  Harness h({.source = v1::PlacementSpec::BOUND, .owned = true});
  for (int i = 0; i < 2; ++i) h.Call(i, InPod(0, 1, "a" + std::to_string(i)), i);
  h.Do(PlacementFound{PlacementOn({0, 1}, {0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Do(OwnerRestarted{1});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  h.Do(PodBound{PodIndex(0), InPod(1, 9, "b0", 0), "n0"});
  h.Call(0, InPod(1, 9, "b0"), 0);
  EXPECT_EQ(h.phase(), v1::STOPPING) << "the old pods still run";
  h.Do(PodGone{PodIndex(0), InPod(0, 1, "a0", 0)});
  EXPECT_EQ(h.phase(), v1::STOPPING) << "one of them";
  h.Do(PodGone{PodIndex(1), InPod(0, 1, "a1", 0)});
  EXPECT_EQ(h.phase(), v1::AWAITING);
  EXPECT_EQ(h.gang.attempt, Attempt(1));
}

// Bound pods outlive a cancel. Their nodes are healthy and another's: no quarantine; the members are told to leave.
TEST(Rule06Pods, BoundPodsOutliveACancel_NoQuarantine) {
  Harness h({.source = v1::PlacementSpec::BOUND, .waived = true});
  for (int i = 0; i < 2; ++i) h.Call(i, InPod(0, 1, "p" + std::to_string(i)), i);
  h.Do(PlacementFound{PlacementOn({0, 1}, {0, 1})});
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Do(CancelRequested{""});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  const Watch watch = WatchFor(h.gang, {PodIndex(0), InPod(0, 1, "p0"), std::nullopt, "n0"}, Epoch(1));
  EXPECT_EQ(watch.order, Watch::Order::kStopAndLeave);
  EXPECT_EQ(watch.outcome, v1::CANCELLED);
  EXPECT_EQ(h.Order(0), "") << "no agent of ours has anything to end";
  const Change change = h.Pass(absl::Minutes(2));
  EXPECT_TRUE(change.quarantines.empty());
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Use(0), "");
}

// A child of a test of this job is unconfirmed on n0; the next placement names n0: not tested there again.
TEST(Rule06Pods, NodeWithAnUnconfirmedChild_IsNotTestedAgain) {
  Harness h({.source = v1::PlacementSpec::KUEUE, .owned = true});
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Do(Evicted{});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  h.Confirm(1, h.OrderNumberOf(1));
  const Change change = h.Pass(absl::Minutes(2));
  ASSERT_EQ(change.quarantines.size(), 1u);
  EXPECT_EQ(change.quarantines[0].node, Uid(0));
  ASSERT_EQ(h.phase(), v1::AWAITING);
  h.Do(Reserved{{"w", h.now, "2"}, PlacementOn({0, 1})});
  EXPECT_EQ(h.phase(), v1::AWAITING);
  EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRetry);
}

// n0 is cut off, the job is cancelled, the stop is never confirmed: n0 is quarantined without expiry and stays
// `stopping` for this job, also when it is Finished, until somebody knows.
TEST(Rule07Overdue, UnconfirmedStop_KeepsTheNodeUntilConfirmed) {
  for (const By by : {By::kAgent, By::kPerson}) {
    Harness h({.launch = v1::LaunchSpec::AGENT});
    h.ToRunning({0, 1});
    h.Do(CancelRequested{""});
    h.Confirm(1, h.OrderNumberOf(1));
    const Change change = h.Pass(absl::Minutes(2));
    ASSERT_EQ(change.quarantines.size(), 1u);
    EXPECT_EQ(change.quarantines[0].node, Uid(0));
    EXPECT_TRUE(change.quarantines[0].without_expiry);
    EXPECT_EQ(h.phase(), v1::FINISHED);
    EXPECT_EQ(h.Use(0), "stopping");
    EXPECT_EQ(h.Use(1), "");
    EXPECT_EQ(h.Order(0), "stop") << "still ordered";
    h.Restart();
    h.Pass(absl::Hours(1000));
    EXPECT_EQ(h.Use(0), "stopping");
    h.Confirm(0, h.OrderNumberOf(0), by);
    EXPECT_EQ(h.Use(0), "");
    EXPECT_EQ(h.Order(0), "forget");
  }
}

// The member's own report is a confirmation too, where others started it.
TEST(Rule07Overdue, MembersOwnReport_Confirms) {
  Harness h;
  h.ToRunning({0, 1});
  h.Do(CancelRequested{""});
  h.Exit(1, 143, true);
  h.Pass(absl::Minutes(2));
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Use(0), "stopping");
  EXPECT_TRUE(h.Confirm(0, h.gang.order, By::kAgent).phases.empty());
  EXPECT_EQ(h.Use(0), "stopping") << "the agent can't speak for what it did not start";
  h.Exit(0, 143, true);
  EXPECT_EQ(h.Use(0), "");
}

// A node leaves in Repairing: it is stopped by itself, and that stop outlives the repair and the job.
TEST(Rule08SingleNode, ItsStopOutlivesRepairAndJob) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  h.ToRunning({0, 1});
  h.Do(NodeLost{Uid(1), "no heartbeat"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Use(1), "stopping");
  const OrderNumber stop = h.OrderNumberOf(1);
  h.Confirm(0, h.OrderNumberOf(0));
  h.Do(ReplacementFound{PlacementOn({0, 2})});
  h.PlanTest();
  EXPECT_EQ(h.Use(1), "stopping");
  h.Conclude(Outcome::kPassed);
  h.Confirm(0, h.OrderNumberOf(0));
  h.Confirm(2, h.OrderNumberOf(2));
  h.ToRunning({0, 2});
  EXPECT_EQ(h.Use(1), "stopping");
  EXPECT_EQ(h.OrderNumberOf(1), stop);
  h.Pass(absl::Minutes(2));
  EXPECT_EQ(h.phase(), v1::RUNNING);
  h.Exit(0, 0);
  h.Exit(1, 0);
  h.Confirm(0, h.OrderNumberOf(0));
  h.Confirm(2, h.OrderNumberOf(2));
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Use(1), "stopping");
  h.Confirm(1, stop);
  EXPECT_EQ(h.Use(1), "");
}

// The JobSet restarts; n0 is silent and quarantined at the deadline: not Placed on n0 again.
TEST(Rule09SamePlacement, SilentNode_QueuesAgainInstead) {
  Harness h({.launch = v1::LaunchSpec::EXTERNAL, .owned = true});
  h.ToTesting({0, 1});
  h.Do(OwnerRestarted{1});
  ASSERT_EQ(h.As<Stopping>().next, Next::kPlaced);
  h.Confirm(1, h.OrderNumberOf(1));
  h.Pass(absl::Minutes(2));
  EXPECT_EQ(h.phase(), v1::QUEUED);
  EXPECT_EQ(h.Use(1), "");
  EXPECT_EQ(h.Use(0), "stopping");
  h.Place({0, 1});
  EXPECT_EQ(h.phase(), v1::QUEUED) << "n0 is not free";
}

TEST(Rule09SamePlacement, NodeLostOrQuarantinedMeanwhile_QueuesAgain) {
  for (const bool lost : {true, false}) {
    Harness h({.owned = true});
    h.ToTesting({0, 1});
    h.Do(OwnerRestarted{1});
    if (lost) {
      h.Do(NodeLost{Uid(1), ""});
    } else {
      h.Do(NodeQuarantined{Uid(1), "by hand"});
    }
    EXPECT_EQ(h.As<Stopping>().next, Next::kRequeue);
    h.ConfirmAll();
    EXPECT_EQ(h.phase(), v1::QUEUED);
  }
}

// Member 1 is lost. The repair's test must not run beside the workers of epoch 1 on n0, or n0 would be accused.
TEST(Rule10Repair, WaitsForTheWorkersBefore) {
  Harness h;
  h.ToRunning({0, 1});
  h.Do(NodeLost{Uid(1), ""});
  h.Do(ReplacementFound{PlacementOn({0, 2})});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_FALSE(WantsTestPlan(h.gang)) << "member 0 has not ended its command";
  EXPECT_EQ(WatchFor(h.gang, {PodIndex(0), OnHost(1), std::nullopt, "n0"}, Epoch(1)).order,
            Watch::Order::kStopAndRejoin);
  h.Do(CommandEnded{PodIndex(0), OnHost(1), std::nullopt, Epoch(1), 143, true});
  EXPECT_TRUE(WantsTestPlan(h.gang));
}

// The start of a test is delayed on its way to n0; cancel, stop confirmed, n0 is given on; the old order arrives. Its
// number is lower than the stop's, which the agent has taken; and a confirmation of old counts for nothing here.
TEST(Rule11Orders, NumbersFenceThePast) {
  Harness h;
  h.ToTesting({0, 1});
  const OrderNumber start = h.OrderNumberOf(0);
  h.Do(CancelRequested{""});
  const OrderNumber stop = h.OrderNumberOf(0);
  EXPECT_GT(stop, start);
  h.Confirm(0, start);
  EXPECT_EQ(h.Use(0), "stopping") << "a confirmation below the stop's number counts for nothing";
  h.Confirm(0, OrderNumber(stop.value() + 7));
  EXPECT_EQ(h.Use(0), "stopping") << "a number that was never given counts for nothing";
  h.Confirm(0, stop);
  h.Confirm(1, stop);
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Order(0), "forget");
  EXPECT_GT(h.OrderNumberOf(0), stop) << "the agent takes only higher numbers";
}

// Accused and committed, crash before the Retry patch: the check must not stay Pending for ever.
TEST(Rule12Effects, WhatIsOwedSurvivesARestartUntilSeen) {
  Harness h({.source = v1::PlacementSpec::KUEUE, .owned = true});
  const Reservation reservation{"w", h.now, "1"};
  h.Do(Reserved{reservation, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kAccused, {Uid(0)});
  h.Restart();
  ASSERT_TRUE(h.gang.verdict_owed);
  EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRetry);
  EXPECT_EQ(h.gang.verdict_owed->reservation, reservation);
  EXPECT_EQ(h.Order(0), "stop") << "orders are issued again as well";
  h.Do(VerdictSeen{reservation});
  EXPECT_FALSE(h.gang.verdict_owed);
}

// Every order is a function of the state: asked twice, and after a restart, it is the same.
TEST(Rule12Effects, OrdersAreTheSameHoweverOftenAsked) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  h.ToAssembling({0, 1});
  const auto before = Orders(h.gang);
  h.Restart();
  const auto after = Orders(h.gang);
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [node, task] : before) {
    EXPECT_EQ(task.SerializeAsString(), after.at(node).SerializeAsString());
    EXPECT_EQ(task.start_members().members_size(), 1);
  }
}

}  // namespace
}  // namespace muster::gang
