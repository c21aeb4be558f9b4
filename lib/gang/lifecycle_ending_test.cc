// Lifecycle rules 1-4: how a job ends, and that it ends. One story a rule.

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;

// Cancelled while it waits in the queue: nothing is to be ended, so it is over at once, and no placement found too late
// starts it.
TEST(Rule01Cancel, InTheQueue_FinishesAtOnce) {
  Harness h;
  h.Do(CancelRequested{"enough"});
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::RESULT_CANCELLED);
  h.Place({0, 1});
  EXPECT_EQ(h.phase(), v1::FINISHED);
}

// The job is being stopped to queue again when somebody cancels it. Once the nodes are free it must not be queued.
TEST(Rule01Cancel, WhileStoppingToQueueAgain_NeverRunsAgain) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  h.ToAssembling({0, 1});
  h.Pass(absl::Minutes(1));
  h.Do(NodeLost{Uid(0), "no heartbeat"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  h.Pass(absl::Minutes(10));
  ASSERT_EQ(h.phase(), v1::STOPPING);
  ASSERT_EQ(h.As<Stopping>().next, Next::kRequeue);
  h.Do(CancelRequested{""});
  EXPECT_EQ(h.As<Stopping>().next, Next::kFinished);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::RESULT_CANCELLED);
}

// In every state a cancel leads to the end and nowhere else.
TEST(Rule01Cancel, InEveryState_OnlyTheEndFollows) {
  for (const v1::Phase phase : {v1::QUEUED, v1::PLACED, v1::TESTING, v1::ASSEMBLING, v1::RUNNING, v1::REPAIRING}) {
    Harness h({.launch = v1::LaunchSpec::AGENT});
    if (phase == v1::PLACED) h.Place({0, 1});
    if (phase == v1::TESTING) h.ToTesting({0, 1});
    if (phase == v1::ASSEMBLING) h.ToAssembling({0, 1});
    if (phase >= v1::RUNNING) h.ToRunning({0, 1});
    if (phase == v1::REPAIRING) h.Exit(0, 1);
    ASSERT_EQ(h.phase(), phase);
    h.Do(CancelRequested{"x"});
    EXPECT_TRUE(h.gang.cancelled);
    h.ConfirmAll();
    EXPECT_EQ(h.phase(), v1::FINISHED) << v1::Phase_Name(phase);
    EXPECT_EQ(h.As<Finished>().result, v1::RESULT_CANCELLED);
    for (int node = 0; node < 2; ++node) EXPECT_EQ(h.Use(node), "");
  }
}

// The job is ending as failed already when somebody cancels it: the cancel is committed, so it is how the job ends; why
// it was ending stays readable.
TEST(Rule01Cancel, WhileItEndsOtherwise_EndsAsCancelled) {
  v1::LimitsSpec limits;
  limits.set_max_restarts(0);
  Harness h({.launch = v1::LaunchSpec::AGENT, .limits = limits});
  h.ToRunning({0, 1});
  h.Do(NodeLost{Uid(0), "no heartbeat"});
  ASSERT_EQ(h.phase(), v1::STOPPING);
  ASSERT_EQ(h.As<Stopping>().result, v1::FAILED);
  h.Do(CancelRequested{"enough"});
  EXPECT_EQ(h.As<Stopping>().result, v1::RESULT_CANCELLED);
  EXPECT_EQ(h.gang.why.find("stops: cancelled: enough (it ended: node n0 is lost"), 0u) << h.gang.why;
  h.Restart();
  h.Do(NodeLost{Uid(1), "no heartbeat"});
  EXPECT_EQ(h.As<Stopping>().result, v1::RESULT_CANCELLED);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::RESULT_CANCELLED);
}

// The last member has exited, but a child of the agent may live: the nodes go to nobody before the agents say so.
TEST(Rule02End, AllExited_GoesThroughStopping) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  h.ToRunning({0, 1});
  h.Exit(0, 0);
  h.Exit(1, 0);
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_EQ(h.Use(0), "stopping");
  h.Confirm(0, h.OrderNumberOf(0));
  EXPECT_EQ(h.Use(0), "");
  EXPECT_EQ(h.Use(1), "stopping");
  h.Confirm(1, h.OrderNumberOf(1));
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::SUCCEEDED);
}

// All pods crash; the JobSet that owns them is about to start them again. Nobody may hear "finished" meanwhile, and the
// new pods are the next attempt.
TEST(Rule02End, AllPodsCrashUnderAnOwner_WaitsForTheOwner) {
  Harness h({.launch = v1::LaunchSpec::EXTERNAL, .owned = true});
  h.ToRunning({0, 1});
  h.Exit(0, 139);
  h.Exit(1, 139);
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.Ask(0, OnHost(1), 0).outcome, v1::OUTCOME_NOT_READY);
  h.Do(OwnerRestarted{1});
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_EQ(h.gang.attempt, Attempt(1));
}

// Without an owner there is nobody to start them again: the job has failed.
TEST(Rule02End, AllExitBadlyWithoutAnOwner_Fails) {
  Harness h;
  h.ToRunning({0, 1});
  h.Exit(0, 1);
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  h.Exit(1, 1);
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::FAILED);
}

// The owner finishes or is deleted while members run: they are ended first.
TEST(Rule02End, OwnerFinishedOrDeleted_StopsThenFinishes) {
  for (const bool deleted : {false, true}) {
    Harness h({.owned = true});
    h.ToRunning({0, 1});
    if (deleted) {
      h.Do(OwnerDeleted{});
    } else {
      h.Do(OwnerFinished{.succeeded = true});
    }
    ASSERT_EQ(h.phase(), v1::STOPPING);
    h.Exit(0, 143, /*ordered=*/true);
    h.Exit(1, 143, /*ordered=*/true);
    EXPECT_EQ(h.phase(), v1::FINISHED);
    EXPECT_EQ(h.As<Finished>().result, deleted ? v1::RESULT_CANCELLED : v1::SUCCEEDED);
  }
}

// Muster ended the job as failed; its owner restarts the pods all the same. They hear "finished": no requeue.
TEST(Rule02End, OwnerRestartsAFinishedJob_MembersHearFinished) {
  Harness h({.owned = true});
  h.ToTesting({0, 1});
  h.Conclude(Outcome::kConfig);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::FINISHED);
  h.Do(OwnerRestarted{1});
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.Call(0, OnHost(9), 0).outcome, v1::JOB_FINISHED);
}

// A job that failed lives again when its living owner brings a new Workload; a cancelled one's is rejected at once.
TEST(Rule02End, NewWorkloadOfALivingOwner_StartsAnew) {
  for (const bool cancelled : {false, true}) {
    Harness h({.source = v1::PlacementSpec::KUEUE, .owned = true, .limits = [] {
                 v1::LimitsSpec limits;
                 limits.set_max_tries(0);
                 return limits;
               }()});
    h.Do(Reserved{{"w1", h.now, "a"}, PlacementOn({0, 1})});
    h.PlanTest();
    if (cancelled) {
      h.Do(CancelRequested{""});
    } else {
      h.Conclude(Outcome::kInconclusive);
    }
    h.ConfirmAll();
    ASSERT_EQ(h.phase(), v1::FINISHED);
    EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRejected);
    h.Do(VerdictSeen{{"w1", h.now, "a"}});
    h.Do(Reserved{{"w2", h.now, "a"}, PlacementOn({0, 1})});
    if (cancelled) {
      EXPECT_EQ(h.phase(), v1::FINISHED);
      EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRejected);
      EXPECT_EQ(h.gang.verdict_owed->reservation.workload_uid, "w2");
    } else {
      EXPECT_EQ(h.phase(), v1::PLACED);
      EXPECT_EQ(h.gang.tries, 0);
    }
  }
}

// Member 0 is done and gone, member 1 hangs: after the grace the job is over as failed.
TEST(Rule03Exit, OneExitsCleanlyTheOtherHangs_FailsAfterTheGrace) {
  Harness h;
  h.ToRunning({0, 1});
  h.Exit(0, 0);
  h.Pass(absl::Minutes(5) - absl::Seconds(1));
  EXPECT_EQ(h.phase(), v1::RUNNING);
  h.Pass(absl::Seconds(1));
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_EQ(h.As<Stopping>().result, v1::FAILED);
}

// A failed exit is a lost member; restarts are counted, and end.
TEST(Rule03Exit, FailuresAreRestartsAndTheyEnd) {
  v1::LimitsSpec limits;
  limits.set_max_restarts(1);
  Harness h({.launch = v1::LaunchSpec::AGENT, .limits = limits});
  h.ToRunning({0, 1});
  h.Exit(1, 7);
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.gang.restarts, 1);
  h.ConfirmAll();
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  h.ToRunning({0, 1});
  h.Exit(1, 7);
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_EQ(h.As<Stopping>().result, v1::FAILED);
  EXPECT_NE(h.gang.why.find("member 1 exited with code 7"), std::string::npos) << h.gang.why;
}

// A lost lease alone means nothing: renewed in time it is as if never lost; past the grace the member is lost.
TEST(Rule03Exit, LostLease_CountsOnlyAfterTheGrace) {
  Harness h;
  h.ToRunning({0, 1});
  h.Do(LeaseLost{PodIndex(1)});
  h.Pass(absl::Minutes(1));
  h.Do(LeaseRenewed{PodIndex(1), OnHost(1)});
  h.Pass(absl::Minutes(5));
  EXPECT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(NextDeadline(h.gang), absl::InfiniteFuture());
  h.Do(LeaseLost{PodIndex(1)});
  EXPECT_EQ(NextDeadline(h.gang), h.now + absl::Minutes(2));
  h.Pass(absl::Minutes(2));
  EXPECT_EQ(h.phase(), v1::REPAIRING);
}

// The test is inconclusive again and again: after the tries it is over.
TEST(Rule04Loops, InconclusiveForEver_EndsAfterTheTries) {
  Harness h;
  h.Place({0, 1});
  for (int round = 0; round < 3; ++round) {
    h.PlanTest();
    h.Conclude(Outcome::kInconclusive);
    h.ConfirmAll();
    ASSERT_EQ(h.phase(), v1::PLACED) << round;
  }
  h.PlanTest();
  h.Conclude(Outcome::kInconclusive);
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::FAILED);
  EXPECT_NE(h.gang.why.find("3 tries"), std::string::npos) << h.gang.why;
}

// Goes on from Repairing to Running again, all on the same nodes.
void RunAgain(Harness& h) {
  h.ConfirmAll();
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  h.ToRunning({0, 1});
}

// A command that fails as soon as it starts would use up every restart within seconds. The first failure is repaired at
// once; each further one waits longer, also over a restart of the coordinator; a gang that ran well begins anew.
TEST(Rule04Loops, FailingCommand_WaitsLongerEachTime) {
  v1::LimitsSpec limits;
  limits.set_max_restarts(20);
  Harness h({.launch = v1::LaunchSpec::AGENT, .limits = limits});
  h.ToRunning({0, 1});
  for (const int seconds : {0, 10, 20, 40, 80, 160, 300, 300}) {
    h.Pass(absl::Seconds(3));
    h.Exit(1, 7);
    ASSERT_EQ(h.phase(), v1::REPAIRING);
    h.ConfirmAll();
    if (seconds > 0) {
      EXPECT_FALSE(WantsTestPlan(h.gang));
      EXPECT_EQ(NextDeadline(h.gang), h.now + absl::Seconds(seconds));
      EXPECT_NE(WhyNow(h.gang).find("in a row, so it waits until "), std::string::npos) << WhyNow(h.gang);
      h.Pass(absl::Seconds(seconds - 1));
      h.Restart();
      EXPECT_FALSE(WantsTestPlan(h.gang)) << "a second early";
      h.Pass(absl::Seconds(1));
    }
    RunAgain(h);
  }
  h.Pass(absl::Minutes(10));
  h.Exit(1, 7);
  h.ConfirmAll();
  EXPECT_TRUE(WantsTestPlan(h.gang)) << "it had run well";
}

// Only failures of a command that Muster itself starts again wait: a lost node, an order from outside and members that
// others start are repaired at once.
TEST(Rule04Loops, OtherLosses_DoNotWait) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  h.ToRunning({0, 1});
  for (int i = 0; i < 3; ++i) {
    if (i == 1) {
      h.Do(NodeChanged{Uid(1), "boot id"});
    } else {
      h.Exit(1, 143, /*ordered=*/true);
    }
    ASSERT_EQ(h.phase(), v1::REPAIRING);
    RunAgain(h);
  }
  Harness others;
  others.ToRunning({0, 1});
  for (int64_t ordinal = 2; ordinal < 4; ++ordinal) {
    others.Exit(1, 1);
    ASSERT_EQ(others.phase(), v1::REPAIRING);
    others.Do(CommandEnded{PodIndex(0), OnHost(ordinal - 1), std::nullopt, others.gang.epoch, 143, true});
    others.PlanTest();
    others.Conclude(Outcome::kPassed);
    others.ConfirmAll();
    others.ToRunning({0, 1}, ordinal);
  }
  EXPECT_EQ(others.gang.failures, 0);
}

// What failed, where, and where to read why: to the very end.
TEST(Rule04Loops, FailedMember_IsNamedWithItsNodeAndOutput) {
  v1::LimitsSpec limits;
  limits.set_max_restarts(0);
  Harness h({.launch = v1::LaunchSpec::AGENT, .limits = limits});
  h.ToRunning({4, 2});
  h.Do(CommandEnded{.index = PodIndex(1),
                    .incarnation = *h.gang.members.at(PodIndex(1)).incarnation,
                    .epoch = Epoch(1),
                    .exit_code = 3,
                    .logs = "/data/logs/job-1/1"});
  h.ConfirmAll();
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.gang.why,
            "member 1 exited with code 3 on n2, its output is in /data/logs/job-1/1; all 0 restarts are used up");
}

// Not everybody comes: the deadline of Assembling fails at once, without a try.
TEST(Rule04Loops, MissedAssembly_FailsAtOnceAndSaysWho) {
  Harness h({.members = 6});
  h.ToAssembling({0, 1, 2, 3, 4, 5});
  h.Call(4, OnHost(1), 4);
  EXPECT_EQ(WhyNow(h.gang), "waits for 5 of 6 members to call: pod indexes 0, 1, 2 and 2 more");
  h.Pass(absl::Minutes(10));
  ASSERT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::FAILED);
  EXPECT_EQ(h.gang.tries, 0);
  EXPECT_NE(h.gang.why.find("0, 1, 2 and 2 more"), std::string::npos) << h.gang.why;
}

// The job's own fault, or ours, is not tried again.
TEST(Rule04Loops, ConfigAndInternal_FailWithoutFurtherTries) {
  for (const Outcome outcome : {Outcome::kConfig, Outcome::kInternal}) {
    Harness h;
    h.ToTesting({0, 1});
    h.Conclude(outcome);
    h.ConfirmAll();
    EXPECT_EQ(h.phase(), v1::FINISHED);
    EXPECT_EQ(h.gang.tries, 0);
  }
}

// Used-up tries are told to Kueue as Rejected, earlier ones as Retry.
TEST(Rule04Loops, TriesOfAKueueJob_RetryThenRejected) {
  v1::LimitsSpec limits;
  limits.set_max_tries(1);
  Harness h({.source = v1::PlacementSpec::KUEUE, .owned = true, .limits = limits});
  h.Do(Reserved{{"w", h.now, "1"}, PlacementOn({0, 1})});
  h.PlanTest();
  h.Conclude(Outcome::kAccused, {Uid(1)});
  EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRetry);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::AWAITING);
  h.Do(VerdictSeen{{"w", h.now, "1"}});
  h.Do(Evicted{});
  h.Do(Reserved{{"w", h.now, "2"}, PlacementOn({0, 2})});
  h.PlanTest();
  h.Conclude(Outcome::kAccused, {Uid(2)});
  EXPECT_EQ(h.gang.verdict_owed->kind, VerdictOwed::Kind::kRejected);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::FINISHED);
}

// The deadline of the whole life, where there is one.
TEST(Rule04Loops, JobDeadline_EndsItInAnyState) {
  v1::LimitsSpec limits;
  limits.mutable_deadline()->set_seconds(60);
  for (const bool running : {false, true}) {
    Harness h({.limits = limits});
    if (running) h.ToRunning({0, 1});
    EXPECT_EQ(NextDeadline(h.gang), h.gang.submitted + absl::Minutes(1));
    h.Pass(absl::Minutes(1));
    EXPECT_EQ(h.phase(), running ? v1::STOPPING : v1::FINISHED);
  }
}

// How long it may have nodes is counted from its placement, over tests and repairs, and anew after the queue.
TEST(Rule04Loops, MaxDuration_CountsTheTimeWithNodes) {
  v1::LimitsSpec limits;
  limits.mutable_max_duration()->set_seconds(3600);
  Harness h({.limits = limits});
  h.Pass(absl::Hours(3));
  EXPECT_EQ(h.phase(), v1::QUEUED) << "waiting costs nothing";
  h.ToRunning({0, 1});
  const absl::Time placed = h.gang.holds_since;
  EXPECT_EQ(placed, h.now);
  h.Pass(absl::Minutes(50));
  h.Do(NodeLost{Uid(1), "no heartbeat"});
  ASSERT_EQ(h.phase(), v1::REPAIRING);
  EXPECT_EQ(h.gang.holds_since, placed);
  h.Restart();
  EXPECT_EQ(h.gang.holds_since, placed);
  h.Do(Preempted{"team/big needs its nodes"});
  EXPECT_EQ(h.gang.holds_since, absl::InfinitePast());
  h.ConfirmAll();
  h.Exit(0, 143, /*ordered=*/true);
  h.Exit(1, 143, /*ordered=*/true);
  h.Confirm(1, h.gang.order, EndConfirmed::By::kPerson);
  ASSERT_EQ(h.phase(), v1::QUEUED) << Describe(h.gang);
  EXPECT_EQ(h.gang.tries, 0) << "not its fault";
  h.Place({2, 3});
  EXPECT_EQ(h.gang.holds_since, h.now) << "counted anew";
  EXPECT_LE(NextDeadline(h.gang), h.now + absl::Hours(1));
  h.PlanTest();
  h.Conclude(Outcome::kPassed);
  h.ConfirmAll();
  h.Pass(absl::Minutes(9));
  ASSERT_EQ(h.phase(), v1::ASSEMBLING);
  h.Call(0, OnHost(2), 2);
  h.Call(1, OnHost(2), 3);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  h.Pass(absl::Minutes(51));
  ASSERT_EQ(h.phase(), v1::STOPPING);
  EXPECT_EQ(h.As<Stopping>().result, v1::FAILED);
  EXPECT_NE(h.gang.why.find("maxDuration of 1h"), std::string::npos) << h.gang.why;
}

}  // namespace
}  // namespace muster::gang
