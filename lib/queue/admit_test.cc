#include "lib/queue/admit.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/queue/test_jobs.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::HopCosts;
using placement::Never;
using placement::NotNow;
using placement::Placed;
using placement::Request;
using ::testing::HasSubstr;

class AdmitTest : public testing::Test {
 protected:
  Answers Run(std::vector<QueuedJob> jobs) {
    Situation situation;
    situation.queued = std::move(jobs);
    situation.holders = holders_;
    situation.repairs = repairs_;
    situation.cluster = &cluster_;
    situation.costs = HopCosts::Default(1);
    situation.now = kNow;
    return Admit(situation, policy_);
  }
  const Answer& Of(const Answers& answers, const std::string& uid) {
    for (const Answer& answer : answers.jobs) {
      if (answer.uid.value() == uid) return answer;
    }
    ADD_FAILURE() << uid;
    return answers.jobs.front();
  }
  static bool Starts(const Answer& answer) { return std::holds_alternative<Placed>(answer.decision); }
  static std::string Why(const Answer& answer) { return ReasonOf(answer.decision); }
  void Running(const Request& request, const std::vector<std::string>& nodes, absl::Duration age, absl::Duration left) {
    holders_.push_back(Holds(request, nodes, age, left, cluster_));
  }

  Cluster cluster_ = Six();
  std::vector<Holder> holders_;
  std::vector<RepairJob> repairs_;
  Policy policy_;
};

TEST_F(AdmitTest, PriorityThenSubmission_StartWhileTheyFit) {
  const Request first = Wants("team/first", {2}), second = Wants("team/second", {2}),
                urgent = Wants("team/urgent", {4, 10});
  const Answers answers = Run({Queued(second, 2), Queued(first, 1), Queued(urgent, 3)});
  ASSERT_EQ(answers.jobs.size(), 3u);
  EXPECT_EQ(answers.jobs[0].uid.value(), "team/urgent");
  EXPECT_TRUE(Starts(answers.jobs[0]));
  EXPECT_EQ(answers.jobs[1].uid.value(), "team/first");
  EXPECT_TRUE(Starts(answers.jobs[1]));
  EXPECT_FALSE(Starts(answers.jobs[2]));
  EXPECT_EQ(answers.jobs[2].position, 1);
}

TEST_F(AdmitTest, WithoutDurations_ABlockedHeadKeepsWhatItCouldUse) {
  cluster_.state_of(*cluster_.topology->Find("a1")).free = false;
  const Request head = Wants("team/head", {4, 5, "r1"}), small = Wants("team/small", {1, 0, "r1"}),
                other = Wants("team/other", {2});
  const Answers answers = Run({Queued(head, 1), Queued(small, 2, absl::Minutes(1)), Queued(other, 3)});
  EXPECT_FALSE(Starts(answers.jobs[0]));
  EXPECT_EQ(answers.jobs[0].starts_by, absl::InfiniteFuture());
  ASSERT_FALSE(Starts(answers.jobs[1])) << "nobody knows when the head starts";
  EXPECT_EQ(answers.jobs[1].behind.value(), "team/head");
  EXPECT_EQ(answers.jobs[1].position, 2);
  EXPECT_THAT(Why(answers.jobs[1]), HasSubstr("team/head (priority 5) waits ahead"));
  // The head can never use rack r2, so a job there delays nobody.
  ASSERT_TRUE(Starts(answers.jobs[2])) << Why(answers.jobs[2]);
  EXPECT_EQ(std::get<Placed>(answers.jobs[2].decision).placement.ranks(0).node(), "b1");
}

TEST_F(AdmitTest, WithDurations_BackfillsWhatIsGoneInTime) {
  const Request old = Wants("team/old", {2}), head = Wants("team/head", {5}), quick = Wants("team/quick", {3}),
                slow = Wants("team/slow", {1});
  Running(old, {"a1", "a2"}, absl::Hours(1), absl::Hours(2));
  Answers answers = Run({Queued(head, 1), Queued(slow, 2, absl::Hours(3)), Queued(quick, 3, absl::Hours(2))});
  EXPECT_EQ(Of(answers, "team/head").starts_by, kNow + absl::Hours(2));
  EXPECT_THAT(Why(Of(answers, "team/head")), HasSubstr("; starts by 14:26 UTC, when others have to end"));
  // Six nodes, five of them the head's at two hours: one may go for longer.
  EXPECT_TRUE(Starts(Of(answers, "team/slow"))) << Why(Of(answers, "team/slow"));
  EXPECT_TRUE(Starts(Of(answers, "team/quick"))) << Why(Of(answers, "team/quick"));
  const Request two = Wants("team/two", {2});
  answers = Run({Queued(head, 1), Queued(two, 2, absl::Hours(3))});
  EXPECT_FALSE(Starts(Of(answers, "team/two")));
  EXPECT_THAT(Why(Of(answers, "team/two")), HasSubstr("this job would still have at 14:26 UTC"));
  answers = Run({Queued(head, 1), Queued(two, 2)});
  EXPECT_FALSE(Starts(Of(answers, "team/two")));
  EXPECT_THAT(Why(Of(answers, "team/two")), HasSubstr("with limits.maxDuration up to 2h this one could go now"));
}

TEST_F(AdmitTest, WithoutDurationBehindAReservation_StandsInNobodysWay) {
  const Request old = Wants("team/old", {2}), head = Wants("team/head", {6}), endless = Wants("team/endless", {1}),
                quick = Wants("team/quick", {4});
  Running(old, {"a1", "a2"}, absl::Hours(1), absl::Hours(2));
  const Answers answers = Run({Queued(head, 1), Queued(endless, 2), Queued(quick, 3, absl::Hours(2))});
  EXPECT_EQ(Of(answers, "team/head").starts_by, kNow + absl::Hours(2));
  EXPECT_FALSE(Starts(Of(answers, "team/endless"))) << "it would delay the head";
  EXPECT_EQ(Of(answers, "team/endless").starts_by, absl::InfiniteFuture());
  EXPECT_TRUE(Starts(Of(answers, "team/quick"))) << Why(Of(answers, "team/quick"));
}

TEST_F(AdmitTest, JobsPastTheReservations_MayBePassed_NotThoseBefore) {
  policy_.reservations = 1;
  const Request old = Wants("team/old", {1}), head = Wants("team/head", {4, 0, "r1"}), next = Wants("team/next", {6}),
                small = Wants("team/small", {2});
  Running(old, {"a1"}, absl::Hours(1), absl::InfiniteDuration());
  const Answers answers = Run({Queued(head, 1), Queued(next, 2), Queued(small, 3)});
  EXPECT_TRUE(Starts(Of(answers, "team/small")));
  EXPECT_THAT(Why(Of(answers, "team/next")),
              HasSubstr("waits its turn for 6 nodes; team/head (priority 0) leads the queue"));
}

TEST_F(AdmitTest, ImpossibleJob_BlocksNobody) {
  const Request vast = Wants("team/vast", {7, 9}), small = Wants("team/small", {6});
  Request nowhere = Wants("team/nowhere", {1, 99});
  nowhere.spec.mutable_placement()->set_preferred("aisle");
  const Answers answers = Run({Queued(vast, 1), Queued(small, 2), Queued(nowhere, 3)});
  EXPECT_TRUE(std::holds_alternative<Never>(Of(answers, "team/vast").decision));
  EXPECT_EQ(Of(answers, "team/vast").position, 0);
  EXPECT_TRUE(std::holds_alternative<Never>(Of(answers, "team/nowhere").decision));
  EXPECT_TRUE(Starts(Of(answers, "team/small")));
}

TEST_F(AdmitTest, TierNone_IsNoTier) {
  Request any = Wants("team/any", {6});
  any.spec.mutable_placement()->set_required("none");
  EXPECT_TRUE(Starts(Run({Queued(any, 1)}).jobs[0]));
}

TEST_F(AdmitTest, Repair_GoesBeforeTheQueue) {
  const Request running = Wants("team/running", {1, -5}), urgent = Wants("team/urgent", {6, 100});
  RepairJob repair;
  repair.turn = TurnOf(running, 1);
  repair.repair.request = &running;
  repair.repair.units = {*cluster_.topology->Find("a1")};
  repair.repair.vacated = {0};
  cluster_.state_of(repair.repair.units[0]).ok = false;
  repairs_ = {repair};
  const Answers answers = Run({Queued(urgent, 1)});
  ASSERT_TRUE(Starts(answers.repairs[0]));
  EXPECT_TRUE(std::holds_alternative<NotNow>(answers.jobs[0].decision));
}

TEST_F(AdmitTest, Quota_HoldsANamespaceAndNobodyElse) {
  policy_.quotas = {{"a", 3}, {"*", 5}};
  const Request had = Wants("a/had", {2}), next = Wants("a/next", {2, 9}), tiny = Wants("a/tiny", {1}),
                other = Wants("b/other", {4});
  Running(had, {"a1", "a2"}, absl::Hours(1), absl::InfiniteDuration());
  const Answers answers = Run({Queued(next, 1), Queued(tiny, 2), Queued(other, 3)});
  EXPECT_EQ(
      Why(Of(answers, "a/next")),
      "2 nodes are needed, and namespace a has 2 of the 3 that it may have at once: jobs of its own must end first");
  EXPECT_FALSE(Starts(Of(answers, "a/tiny"))) << "it would keep a/next waiting";
  EXPECT_TRUE(Starts(Of(answers, "b/other")));
  const Request large = Wants("a/large", {4, 20});
  const Answers beyond = Run({Queued(large, 1), Queued(tiny, 2)});
  EXPECT_THAT(Why(Of(beyond, "a/large")),
              HasSubstr("namespace a may have 3 at once: ask for fewer, or have the operator"));
  EXPECT_TRUE(Starts(Of(beyond, "a/tiny"))) << "what no end helps holds nobody up";
}

TEST_F(AdmitTest, Shares_GoToWhoHasLess) {
  const Request had = Wants("a/had", {2}), mine = Wants("a/mine", {4}), yours = Wants("b/yours", {4});
  Running(had, {"a1", "a2"}, absl::Hours(1), absl::InfiniteDuration());
  const Answers answers = Run({Queued(mine, 1), Queued(yours, 2)});
  EXPECT_TRUE(Starts(Of(answers, "b/yours")));
  EXPECT_FALSE(Starts(Of(answers, "a/mine")));
}

TEST_F(AdmitTest, Preemption_OnlyWhereItIsAsked_AndOfLessPriority) {
  const Request cheap = Wants("a/cheap", {2, -1}), dear = Wants("a/dear", {2, -1}), equal = Wants("a/equal", {2, 5}),
                urgent = Wants("b/urgent", {2, 5});
  Running(dear, {"a1", "a2"}, absl::Hours(5), absl::InfiniteDuration());
  Running(cheap, {"a3", "a4"}, absl::Hours(1), absl::InfiniteDuration());
  Running(equal, {"b1", "b2"}, absl::Seconds(1), absl::InfiniteDuration());
  EXPECT_TRUE(Run({Queued(urgent, 1)}).preemptions.empty());
  policy_.preempt = true;
  const Answers answers = Run({Queued(urgent, 1)});
  ASSERT_EQ(answers.preemptions.size(), 1u);
  EXPECT_EQ(answers.preemptions[0].uid.value(), "a/cheap");
  EXPECT_EQ(answers.preemptions[0].why, "preempted: b/urgent (priority 5) needs its nodes");
  EXPECT_THAT(Why(answers.jobs[0]), HasSubstr("makes room by stopping a/cheap of less priority"));
  EXPECT_EQ(answers.jobs[0].starts_by, kNow);
  // While the nodes come free nobody else is stopped, and nobody behind gets them.
  holders_[1].leaving = true;
  const Request small = Wants("c/small", {1});
  const Answers later = Run({Queued(urgent, 1), Queued(small, 2)});
  EXPECT_TRUE(later.preemptions.empty());
  EXPECT_THAT(Why(later.jobs[0]), HasSubstr("starts as soon as jobs that are ending have ended"));
  cluster_.state_of(*cluster_.topology->Find("a3")).free = true;
  EXPECT_FALSE(Starts(Of(Run({Queued(urgent, 1), Queued(small, 2)}), "c/small")));
}

TEST_F(AdmitTest, Preemption_NotOfOneThatIsAboutToEnd) {
  policy_.preempt = true;
  const Request low = Wants("a/low", {2, -1}), ending = Wants("a/ending", {4, -1}), urgent = Wants("b/urgent", {4, 5});
  Running(low, {"b1", "b2"}, absl::Hours(1), absl::Hours(9));
  Running(ending, {"a1", "a2", "a3", "a4"}, absl::Minutes(1), absl::Minutes(1));
  Answers answers = Run({Queued(urgent, 1)});
  EXPECT_TRUE(answers.preemptions.empty());
  EXPECT_EQ(answers.jobs[0].starts_by, kNow + absl::Minutes(1));
  const Request all = Wants("b/all", {6, 5});
  answers = Run({Queued(all, 1)});
  ASSERT_EQ(answers.preemptions.size(), 1u) << "the rest comes by itself";
  EXPECT_EQ(answers.preemptions[0].uid.value(), "a/low");
  EXPECT_EQ(answers.jobs[0].starts_by, kNow + absl::Minutes(1));
}

TEST_F(AdmitTest, Preemption_NeverOfOneThatHasWaitedItsWayUp) {
  policy_.preempt = true;
  const Request aged = Wants("a/aged", {6, 0}), urgent = Wants("b/urgent", {2, 1});
  Running(aged, {"a1", "a2", "a3", "a4", "b1", "b2"}, absl::Hours(1), absl::InfiniteDuration());
  EXPECT_FALSE(Run({Queued(urgent, 1)}).preemptions.empty());
  // It would go first when both are queued again, and the two would chase each other for ever.
  holders_[0].turn.submitted = kNow - absl::Hours(60);
  EXPECT_TRUE(Run({Queued(urgent, 1)}).preemptions.empty());
}

TEST_F(AdmitTest, RandomQueues_NeverShareANodeAndIgnoreArrivalOrder) {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    cluster_ = Six();
    for (placement::NodeState& state : cluster_.states) state.free = random() % 4 != 0;
    std::vector<Request> requests;
    for (int i = 0; i < 5; ++i) {
      const int nodes = 1 + random() % 4, priority = random() % 3;
      requests.push_back(
          Wants((random() % 2 ? "a/j" : "b/j") + std::to_string(i), {nodes, priority, random() % 3 == 0 ? "r1" : ""}));
    }
    std::vector<QueuedJob> jobs;
    for (size_t i = 0; i < requests.size(); ++i) {
      const absl::Duration duration = random() % 2 ? absl::InfiniteDuration() : absl::Hours(random() % 5 + 1);
      jobs.push_back(Queued(requests[i], static_cast<int64_t>(i / 2), duration));
    }
    const Answers expected = Run(jobs);
    std::shuffle(jobs.begin(), jobs.end(), random);
    const Answers shuffled = Run(jobs);
    std::vector<bool> used(cluster_.states.size());
    for (size_t i = 0; i < expected.jobs.size(); ++i) {
      EXPECT_EQ(expected.jobs[i].uid, shuffled.jobs[i].uid);
      EXPECT_EQ(Why(expected.jobs[i]), Why(shuffled.jobs[i]));
      const auto* placed = std::get_if<Placed>(&expected.jobs[i].decision);
      if (placed == nullptr) continue;
      for (const NodeIndex node : placed->units) {
        EXPECT_TRUE(cluster_.Available(node));
        EXPECT_FALSE(used[node.value()]);
        used[node.value()] = true;
      }
    }
  }
}

}  // namespace
}  // namespace muster::queue
