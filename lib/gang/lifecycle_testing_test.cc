// Lifecycle rules 13-18: reservations, nodes and tests. One story a rule.

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;

HarnessOptions Kueue() { return {.source = v1::PlacementSpec::KUEUE, .owned = true}; }

// Retry is patched, Kueue evicts and reserves anew. The patch must not be repeated on the new reservation, and a late
// Ready for the old one must not admit the new one untested.
TEST(Rule13Verdict, BelongsToOneReservation) {
  Harness h(Kueue());
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  ASSERT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kReady);
  h.Do(Reserved{{"w", h.now + absl::Seconds(5), "2"}, PlacementOn({2, 3})});
  EXPECT_FALSE(h.gang.verdict_owed) << "the Ready was for the reservation that is gone";
  EXPECT_EQ(h.phase(), v1::PLACED);
  h.Do(VerdictSeen{{"w", h.now, "1"}});
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_EQ(h.Use(2), "assigned");
  EXPECT_EQ(h.Use(0), "");
}

// Reservation 2 arrives while the job is still being stopped from the first: it is kept and taken up on Awaiting.
TEST(Rule14Facts, ReservationDuringStopping_IsTakenUpAfterwards) {
  Harness h(Kueue());
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Do(Evicted{});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  h.Do(Reserved{{"w", h.now, "2"}, PlacementOn({2, 3})});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_EQ(h.Use(2), "assigned");
}

// The same reservation after our Retry is spent, though Kueue has not taken it back yet; a new one that names the node
// just accused is answered with Retry, untested.
TEST(Rule14Facts, SpentReservationAndAccusedNode_AreNotTested) {
  Harness h(Kueue());
  const Reservation first{"w", h.now, "1"};
  h.Do(Reserved{first, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kAccused, {Uid(1)});
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::AWAITING);
  h.Do(VerdictSeen{first});
  h.Do(Reserved{first, PlacementOn({0, 1})});
  EXPECT_EQ(h.phase(), v1::AWAITING);
  h.Do(Evicted{});
  h.Do(Reserved{{"w", h.now, "2"}, PlacementOn({1, 2})});
  EXPECT_EQ(h.phase(), v1::AWAITING);
  EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRetry);
  h.Do(VerdictSeen{{"w", h.now, "2"}});
  h.Do(Evicted{});
  h.Do(NodeRestored{Uid(1)});
  h.Do(Reserved{{"w", h.now, "3"}, PlacementOn({1, 2})});
  EXPECT_EQ(h.phase(), v1::PLACED);
}

// A quarantine counts as a loss, but a running job keeps its node, until it has to give up its epoch anyway.
TEST(Rule15Nodes, QuarantineIsALossExceptWhileRunning) {
  for (const v1::Phase phase : {v1::PLACED, v1::TESTING, v1::ASSEMBLING, v1::RUNNING}) {
    Harness h;
    if (phase == v1::PLACED) h.Place({0, 1});
    if (phase == v1::TESTING) h.ToTesting({0, 1});
    if (phase == v1::ASSEMBLING) h.ToAssembling({0, 1});
    if (phase == v1::RUNNING) h.ToRunning({0, 1});
    h.Do(NodeQuarantined{Uid(1), "by hand"});
    const v1::Phase then = phase == v1::PLACED ? v1::QUEUED : phase == v1::RUNNING ? v1::RUNNING : v1::REPAIRING;
    EXPECT_EQ(h.phase(), then) << v1::Phase_Name(phase);
    if (phase != v1::RUNNING) continue;
    h.Exit(0, 1);
    ASSERT_EQ(h.phase(), v1::REPAIRING);
    EXPECT_TRUE(h.As<Repairing>().vacated.contains(Uid(1)));
    EXPECT_EQ(h.Use(0), "assigned");
  }
}

// Both of two jobs lose a node: each keeps its good one until its deadline, then lets it go as a counted try.
TEST(Rule16Held, RepairingKeepsItsNodesUntilTheDeadline) {
  Harness h;
  h.ToAssembling({0, 1});
  h.Do(NodeLost{Uid(1), ""});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Use(0), "assigned");
  EXPECT_EQ(h.Use(1), "") << "nothing of ours ran there";
  EXPECT_TRUE(WantsReplacement(h.gang));
  h.Pass(absl::Minutes(10));
  EXPECT_EQ(h.phase(), v1::QUEUED);
  EXPECT_EQ(h.Use(0), "");
  EXPECT_EQ(h.gang.tries, 1);
}

// The first group accuses n0, a spare comes in: only a test of the new placement releases it, never the old one's pass.
TEST(Rule17Tests, AfterARepair_TheNewPlacementIsTested) {
  Harness h;
  h.ToTesting({0, 1});
  const TestId old = h.As<Testing>().test;
  h.Conclude(Outcome::kAccused, {Uid(0)});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Use(0), "stopping");
  h.Confirm(1, h.OrderNumberOf(1));
  h.Do(ReplacementFound{PlacementOn({2, 1})});
  ASSERT_TRUE(WantsTestPlan(h.gang));
  h.Do(ReceiptFound{ReceiptId("rcp-old"), "digest-0-1"});
  EXPECT_EQ(h.phase(), v1::REPAIRING) << "a receipt of another digest";
  h.PlanTest();
  h.Do(TestConcluded{.test = old, .outcome = Outcome::kPassed, .accused = {}, .receipt = ReceiptId("r"), .why = ""});
  EXPECT_FALSE(h.As<Testing>().passed) << "an old test's result is dropped";
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  EXPECT_EQ(h.gang.receipt_digest, "digest-2-1");
}

// Rounds of one test: each has its own order, and only the next one is taken.
TEST(Rule17Tests, FurtherRounds_AreOrderedAnew) {
  Harness h;
  h.ToTesting({0, 1});
  const OrderNumber first = h.OrderNumberOf(0);
  auto plan = std::make_shared<v1::TestPlan>(*h.As<Testing>().plan);
  plan->set_round(3);
  h.Do(TestPlanned{h.As<Testing>().test, plan});
  EXPECT_EQ(h.OrderNumberOf(0), first);
  auto second = std::make_shared<v1::TestPlan>(*plan);
  second->set_round(2);
  h.Confirm(0, first);
  h.Do(TestPlanned{h.As<Testing>().test, second});
  EXPECT_GT(h.OrderNumberOf(0), first);
  EXPECT_TRUE(h.As<Testing>().ended.empty()) << "the new round's children are to end as well";
}

// The verdict is in but a child of the test lives on n1: not released beside it.
TEST(Rule17Tests, PassedButAChildLives_WaitsAndThenTriesAgain) {
  Harness h;
  h.ToTesting({0, 1});
  h.Conclude(Outcome::kPassed);
  h.Confirm(0, h.OrderNumberOf(0));
  EXPECT_EQ(h.phase(), v1::TESTING);
  h.Pass(absl::Seconds(90));
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_EQ(h.As<Stopping>().next, Next::kPlaced);
  h.Confirm(1, h.OrderNumberOf(1));
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_TRUE(h.gang.receipt.value().empty());
}

// A node came back with another boot id while the gang assembled: the pass is void, the same placement is tested anew.
TEST(Rule18Validity, ChangedNode_VoidsThePass) {
  Harness h;
  h.ToAssembling({0, 1});
  h.Call(0, OnHost(1), 0);
  h.Do(NodeChanged{Uid(1), "boot id differs"});
  EXPECT_EQ(h.phase(), v1::PLACED);
  h.Call(1, OnHost(1), 1);
  EXPECT_EQ(h.phase(), v1::PLACED) << "everybody is here, but nothing is tested";
}

// A pass of this stay does not age while members are waited for.
TEST(Rule18Validity, PassOfThisStay_DoesNotAge) {
  v1::LimitsSpec limits;
  limits.mutable_assemble_deadline()->set_seconds(3'600'000);
  Harness h({.limits = limits});
  h.ToAssembling({0, 1});
  h.Pass(absl::Hours(900));
  h.ToRunning({0, 1});
}

// Whatever led to Assembling: without a pass of this very digest the commit that would release tests anew.
TEST(Rule18Validity, PassOfAnotherDigestOrNone_ReleasesNobody) {
  for (const bool none : {true, false}) {
    Harness h;
    h.ToAssembling({0, 1});
    if (none) h.gang.receipt = ReceiptId();
    if (!none) h.gang.receipt_digest = "digest-8-9";
    h.Call(0, OnHost(1), 0);
    EXPECT_EQ(h.Call(1, OnHost(1), 1).outcome, v1::OUTCOME_NOT_READY);
    EXPECT_EQ(h.phase(), v1::PLACED);
    EXPECT_EQ(h.gang.epoch, Epoch(0));
  }
}

}  // namespace
}  // namespace muster::gang
