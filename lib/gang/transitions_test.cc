// Every transition of the table above State, legal and illegal: each event in each state, and where it leads.

#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "lib/gang/gang_harness.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;

// A gang of two on n0, n1 in that state.
Harness In(v1::Phase phase) {
  const bool awaiting = phase == v1::AWAITING;
  Harness h({.source = awaiting ? v1::PlacementSpec::KUEUE : v1::PlacementSpec::MUSTER,
             .launch = awaiting ? v1::LaunchSpec::EXTERNAL : v1::LaunchSpec::AGENT,
             .owned = true});
  switch (phase) {
    case v1::PLACED:
      h.Place({0, 1});
      break;
    case v1::TESTING:
      h.ToTesting({0, 1});
      break;
    case v1::ASSEMBLING:
      h.ToAssembling({0, 1});
      break;
    case v1::RUNNING:
      h.ToRunning({0, 1});
      break;
    case v1::REPAIRING:
      h.ToAssembling({0, 1});
      h.Do(NodeLost{Uid(1), ""});
      break;
    case v1::STOPPING:
      h.ToTesting({0, 1});
      h.Do(OwnerRestarted{1});
      break;
    case v1::FINISHED:
      h.Do(NeverFits{"3 nodes wanted, 2 exist"});
      break;
    default:
      break;
  }
  EXPECT_EQ(h.phase(), phase);
  return h;
}

struct EventRow {
  const char* name;
  std::function<Event(const Harness&)> event;
  // From each state that it moves, the state it leads to; every other one stays as it is.
  std::map<v1::Phase, v1::Phase> moves;
};

std::vector<EventRow> Rows() {
  const auto digest = [](const Harness& h) {
    const PlacementPtr placement = PlacementOf(h.gang.state);
    return placement == nullptr ? std::string("digest-0-1") : placement->digest();
  };
  const auto plan = [digest](const Harness& h) -> Event {
    auto made = std::make_shared<v1::TestPlan>();
    made->set_round(1);
    made->set_placement_digest(digest(h));
    return TestPlanned{TestId("new"), made};
  };
  const auto conclude = [](Outcome outcome) {
    return [outcome](const Harness& h) -> Event {
      const auto* testing = std::get_if<Testing>(&h.gang.state);
      return TestConcluded{.test = testing == nullptr ? TestId("t1") : testing->test,
                           .outcome = outcome,
                           .accused = {Uid(1)},
                           .receipt = ReceiptId("r"),
                           .why = "x"};
    };
  };
  const auto fixed = [](Event event) { return [event](const Harness&) { return event; }; };
  return {
      {"placement found", fixed(PlacementFound{PlacementOn({0, 1})}), {{v1::QUEUED, v1::PLACED}}},
      {"never fits", fixed(NeverFits{""}), {{v1::QUEUED, v1::FINISHED}, {v1::AWAITING, v1::FINISHED}}},
      {"replacement found", fixed(ReplacementFound{PlacementOn({0, 2})}), {}},
      {"test planned", plan, {{v1::PLACED, v1::TESTING}}},
      {"receipt found",
       [digest](const Harness& h) -> Event {
         return ReceiptFound{ReceiptId("r"), digest(h)};
       },
       {{v1::PLACED, v1::ASSEMBLING}}},
      {"passed", conclude(Outcome::kPassed), {}},
      {"accused", conclude(Outcome::kAccused), {{v1::TESTING, v1::REPAIRING}}},
      {"inconclusive", conclude(Outcome::kInconclusive), {{v1::TESTING, v1::STOPPING}}},
      {"config", conclude(Outcome::kConfig), {{v1::TESTING, v1::STOPPING}}},
      {"internal", conclude(Outcome::kInternal), {{v1::TESTING, v1::STOPPING}}},
      {"node lost",
       fixed(NodeLost{Uid(0), ""}),
       {{v1::PLACED, v1::QUEUED},
        {v1::TESTING, v1::REPAIRING},
        {v1::ASSEMBLING, v1::REPAIRING},
        {v1::RUNNING, v1::REPAIRING},
        {v1::STOPPING, v1::STOPPING}}},
      {"node quarantined",
       fixed(NodeQuarantined{Uid(0), ""}),
       {{v1::PLACED, v1::QUEUED},
        {v1::TESTING, v1::REPAIRING},
        {v1::ASSEMBLING, v1::REPAIRING},
        {v1::STOPPING, v1::STOPPING}}},
      {"another's node lost", fixed(NodeLost{Uid(7), ""}), {}},
      {"node changed",
       fixed(NodeChanged{Uid(0), ""}),
       {{v1::TESTING, v1::STOPPING}, {v1::ASSEMBLING, v1::STOPPING}, {v1::RUNNING, v1::REPAIRING}}},
      {"refused",
       [](const Harness& h) -> Event {
         return StartRefused{Uid(0), h.OrderNumberOf(0), "not allowed"};
       },
       {{v1::TESTING, v1::REPAIRING}, {v1::ASSEMBLING, v1::REPAIRING}}},
      {"member exits badly",
       [](const Harness& h) -> Event {
         const auto member = h.gang.members.find(PodIndex(0));
         const Incarnation incarnation = member == h.gang.members.end() ? OnHost(1) : *member->second.incarnation;
         return CommandEnded{PodIndex(0), incarnation, std::nullopt, h.gang.epoch, 1, false};
       },
       {{v1::RUNNING, v1::REPAIRING}}},
      {"owner restarts",
       fixed(OwnerRestarted{5}),
       {{v1::PLACED, v1::PLACED},
        {v1::TESTING, v1::STOPPING},
        {v1::ASSEMBLING, v1::STOPPING},
        {v1::RUNNING, v1::STOPPING},
        {v1::REPAIRING, v1::STOPPING}}},
      {"owner finishes",
       fixed(OwnerFinished{true}),
       {{v1::QUEUED, v1::FINISHED},
        {v1::AWAITING, v1::FINISHED},
        {v1::PLACED, v1::FINISHED},
        {v1::TESTING, v1::STOPPING},
        {v1::ASSEMBLING, v1::STOPPING},
        {v1::RUNNING, v1::STOPPING},
        {v1::REPAIRING, v1::STOPPING},
        {v1::STOPPING, v1::STOPPING}}},
      {"cancel",
       fixed(CancelRequested{""}),
       {{v1::QUEUED, v1::FINISHED},
        {v1::AWAITING, v1::FINISHED},
        {v1::PLACED, v1::FINISHED},
        {v1::TESTING, v1::STOPPING},
        {v1::ASSEMBLING, v1::STOPPING},
        {v1::RUNNING, v1::STOPPING},
        {v1::REPAIRING, v1::STOPPING},
        {v1::STOPPING, v1::STOPPING}}},
      {"preempted",
       fixed(Preempted{"by team/big"}),
       {{v1::PLACED, v1::QUEUED},
        {v1::TESTING, v1::STOPPING},
        {v1::ASSEMBLING, v1::STOPPING},
        {v1::RUNNING, v1::STOPPING},
        {v1::REPAIRING, v1::STOPPING},
        {v1::STOPPING, v1::STOPPING}}},
      {"reserved, without Kueue but in Awaiting",
       fixed(Reserved{{"w", absl::UnixEpoch(), "1"}, PlacementOn({0, 1})}),
       {{v1::AWAITING, v1::PLACED}}},
      {"evicted", fixed(Evicted{}), {}},
      {"time passes too early", fixed(TimePassed{}), {}},
      {"coordinator restarts", fixed(CoordinatorRestarted{}), {}},
  };
}

TEST(Transitions, EachEventInEachState_LeadsWhereTheTableSays) {
  for (const EventRow& row : Rows()) {
    for (int phase = v1::QUEUED; phase <= v1::FINISHED; ++phase) {
      SCOPED_TRACE(absl::StrCat(row.name, " in ", v1::Phase_Name(static_cast<v1::Phase>(phase))));
      const auto from = static_cast<v1::Phase>(phase);
      Harness h = In(from);
      const Change change = h.Do(row.event(h));
      const auto move = row.moves.find(from);
      EXPECT_EQ(h.phase(), move == row.moves.end() ? from : move->second) << Describe(h.gang);
      EXPECT_EQ(change.phases.empty(), move == row.moves.end()) << "a move is told, and nothing else is";
    }
  }
}

// The way of a job that nothing happens to, state by state.
TEST(Transitions, TheStraightPath) {
  Harness h({.launch = v1::LaunchSpec::AGENT});
  EXPECT_EQ(h.phase(), v1::QUEUED);
  EXPECT_TRUE(WantsPlacement(h.gang));
  h.Place({0, 1});
  EXPECT_EQ(h.phase(), v1::PLACED);
  EXPECT_EQ(h.Use(0), "assigned");
  EXPECT_TRUE(WantsTestPlan(h.gang));
  h.PlanTest();
  EXPECT_EQ(h.phase(), v1::TESTING);
  EXPECT_EQ(h.Order(0), "test");
  h.Conclude(Outcome::kPassed);
  EXPECT_EQ(h.phase(), v1::TESTING);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  EXPECT_EQ(h.Order(0), "start");
  const Incarnation started = StartedIncarnation(h.gang, h.As<Assembling>().started);
  EXPECT_EQ(h.Call(0, started, 0).outcome, v1::OUTCOME_NOT_READY);
  EXPECT_EQ(WhyNow(h.gang), "waits for 1 of 2 members to call: pod index 1");
  EXPECT_EQ(h.Call(1, started, 1).outcome, v1::READY);
  EXPECT_EQ(h.phase(), v1::RUNNING);
  EXPECT_EQ(h.gang.epoch, Epoch(1));
  h.Exit(0, 0);
  h.Exit(1, 0);
  EXPECT_EQ(h.phase(), v1::STOPPING);
  h.ConfirmAll();
  EXPECT_EQ(h.phase(), v1::FINISHED);
  EXPECT_EQ(h.As<Finished>().result, v1::SUCCEEDED);
}

TEST(Transitions, WaivedJob_GoesFromPlacedToAssembling) {
  Harness h({.waived = true});
  h.Place({0, 1});
  EXPECT_EQ(h.phase(), v1::ASSEMBLING);
  h.Do(ReceiptFound{ReceiptId("rcp-waived"), "digest-0-1"});
  h.ToRunning({0, 1});
}

TEST(Transitions, TestOnlyJob_EndsWithItsVerdict) {
  struct {
    Outcome outcome;
    v1::Result result;
  } const rows[] = {{Outcome::kPassed, v1::SUCCEEDED},
                    {Outcome::kAccused, v1::FAILED},
                    {Outcome::kInconclusive, v1::FAILED},
                    {Outcome::kConfig, v1::FAILED}};
  for (const auto& row : rows) {
    Harness h({.launch = v1::LaunchSpec::TEST_ONLY});
    h.ToTesting({0, 1});
    h.Conclude(row.outcome, {Uid(0)});
    h.ConfirmAll();
    ASSERT_EQ(h.phase(), v1::FINISHED) << Describe(h.gang);
    EXPECT_EQ(h.As<Finished>().result, row.result);
  }
}

TEST(Transitions, Deadlines_OfEveryWaitingState) {
  Harness placed = In(v1::PLACED);
  EXPECT_EQ(NextDeadline(placed.gang), placed.now + absl::Minutes(5));
  placed.Pass(absl::Minutes(5));
  EXPECT_EQ(placed.phase(), v1::QUEUED);
  EXPECT_EQ(placed.gang.tries, 1);

  Harness testing = In(v1::TESTING);
  EXPECT_EQ(NextDeadline(testing.gang), testing.now + absl::Seconds(90));
  testing.Pass(absl::Seconds(90));
  EXPECT_EQ(testing.phase(), v1::STOPPING);
  EXPECT_NE(testing.gang.why.find("not heard: n0, n1"), std::string::npos) << testing.gang.why;

  Harness repairing = In(v1::REPAIRING);
  EXPECT_EQ(NextDeadline(repairing.gang), repairing.now + absl::Minutes(2)) << "the stop of the node that left";

  Harness stopping = In(v1::STOPPING);
  EXPECT_EQ(NextDeadline(stopping.gang), stopping.now + absl::Minutes(2));

  EXPECT_EQ(NextDeadline(In(v1::QUEUED).gang), absl::InfiniteFuture());
  EXPECT_EQ(NextDeadline(In(v1::AWAITING).gang), absl::InfiniteFuture());
  EXPECT_EQ(NextDeadline(In(v1::FINISHED).gang), absl::InfiniteFuture());
}

TEST(Transitions, Accused_AreQuarantinedWithExpiryInTheSameStep) {
  Harness h = In(v1::TESTING);
  const Change change = h.Do(TestConcluded{.test = h.As<Testing>().test,
                                           .outcome = Outcome::kAccused,
                                           .accused = {Uid(1), Uid(9)},
                                           .receipt = ReceiptId("r"),
                                           .why = "tp 0.1 GB/s"});
  ASSERT_EQ(change.quarantines.size(), 1u) << "only nodes of this placement";
  EXPECT_EQ(change.quarantines[0].node, Uid(1));
  EXPECT_EQ(change.quarantines[0].reason, "tp 0.1 GB/s");
  EXPECT_FALSE(change.quarantines[0].without_expiry);
}

}  // namespace
}  // namespace muster::gang
