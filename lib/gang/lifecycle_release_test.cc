// Lifecycle rules 13-24: reservations, nodes, tests, release, incarnations and leaders. One story a rule.

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"
#include "proto/muster/v1/assignment.pb.h"

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
