// What always holds of the queue, over random traces on small clusters, run by the simulator: a case is a whole
// simulation, looked at after each run of the queue. A failure prints the seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/simulation/dice.h"
#include "lib/simulation/simulate.h"
#include "lib/simulation/spec.h"

namespace muster::simulation {
namespace {

using placement::Placed;

constexpr int kRanges = 8;
constexpr int kCasesARange = 1'250;

struct Case {
  Setup setup;
  bool failures = false;
};

Case MakeCase(uint64_t seed) {
  Dice dice(seed);
  Case made;
  const std::string nodes = absl::StrCat("racks=", 1 + dice.Below(3), ",nodes=", 1 + dice.Below(4));
  made.setup.cluster = *ClusterOfSpec(nodes, "nodes");
  made.setup.costs = placement::HopCosts::Default(2);
  const int64_t size = made.setup.cluster.topology->size();
  const int64_t rack = made.setup.cluster.topology->domain(DomainIndex(2)).size();
  const int64_t count = 3 + dice.Below(10);
  const bool all_declare = dice.Below(3) == 0;
  absl::Duration at;
  for (int64_t i = 0; i < count; ++i) {
    TraceJob job;
    job.name = absl::StrCat(i);
    job.ns = absl::StrCat(dice.Below(3));
    at += absl::Minutes(dice.Below(40));
    job.submit = at;
    job.nodes = static_cast<int32_t>(1 + dice.Below(size));
    job.run = absl::Minutes(1 + dice.Below(90));
    if (all_declare || dice.Below(2) == 0) job.limit = std::max(absl::Minutes(1), job.run * (0.8 + dice.Share()));
    job.priority = static_cast<int32_t>(dice.Below(3));
    if (job.nodes <= rack && dice.Below(3) == 0) job.required = "rack";
    if (job.nodes < size && dice.Below(6) == 0) job.spares = 1;
    made.setup.jobs.push_back(job);
  }
  made.setup.policy.ageing = absl::Minutes(1 + dice.Below(120));
  made.setup.policy.reservations = static_cast<int32_t>(1 + dice.Below(4));
  made.setup.policy.preempt = dice.Below(3) == 0;
  if (dice.Below(3) == 0) made.setup.policy.quotas = {{"0", 1 + dice.Below(size)}, {"*", size}};
  if (dice.Below(3) == 0) made.setup.policy.shares = {{"1", 1 + dice.Below(4)}};
  made.failures = dice.Below(4) == 0;
  if (made.failures)
    made.setup.failures = {.every = absl::Hours(20 + dice.Below(100)),
                           .repair = absl::Minutes(1 + dice.Below(60)),
                           .checkpoint = absl::Minutes(dice.Below(30)),
                           .seed = seed};
  return made;
}

// Follows one simulation.
class Watcher {
 public:
  explicit Watcher(const Case& of) : case_(of), setup_(of.setup) {}

  void Look(const queue::Situation& s, const queue::Answers& answers) {
    NoOverCommit(s, answers);
    Whole(s, answers);
    QuotasHold(s, answers);
    PreemptsTheLessUrgent(s, answers);
    IgnoresOrder(s, answers);
    FirstIsNotDelayed(s, answers);
  }

 private:
  static int64_t Index(const JobUid& uid) { return std::stoll(uid.value()); }
  static const Placed* PlacedOf(const queue::Answer& answer) { return std::get_if<Placed>(&answer.decision); }

  void NoOverCommit(const queue::Situation& s, const queue::Answers& answers) {
    std::set<NodeIndex> used;
    for (const queue::Holder& holder : s.holders) {
      for (const NodeIndex node : holder.nodes) EXPECT_TRUE(used.insert(node).second) << "two gangs have one node";
    }
    for (const queue::Answer& answer : answers.jobs) {
      const Placed* placed = PlacedOf(answer);
      if (placed == nullptr) continue;
      for (const auto* nodes : {&placed->units, &placed->spares}) {
        for (const NodeIndex node : *nodes) {
          EXPECT_TRUE(s.cluster->Available(node)) << "given while another has it, or it is down";
          EXPECT_TRUE(used.insert(node).second) << "given twice";
        }
      }
    }
    for (const queue::Answer& answer : answers.repairs) {
      const Placed* placed = PlacedOf(answer);
      if (placed == nullptr) continue;
      for (const NodeIndex node : placed->units) {
        if (s.cluster->Available(node)) {
          EXPECT_TRUE(used.insert(node).second) << "given twice";
        }
      }
    }
  }

  // A gang has all of its nodes or none.
  void Whole(const queue::Situation& s, const queue::Answers& answers) {
    std::set<JobUid> waiting;
    for (const queue::QueuedJob& job : s.queued) waiting.insert(job.turn.uid);
    for (const queue::Holder& holder : s.holders) {
      EXPECT_EQ(waiting.count(holder.turn.uid), 0u) << "one that waits holds nodes";
      const TraceJob& job = setup_.jobs[Index(holder.turn.uid)];
      if (!case_.failures) {
        EXPECT_EQ(static_cast<int64_t>(holder.nodes.size()), job.nodes + job.spares);
      }
    }
    for (const queue::Answer& answer : answers.jobs) {
      const Placed* placed = PlacedOf(answer);
      if (placed == nullptr) continue;
      const TraceJob& job = setup_.jobs[Index(answer.uid)];
      EXPECT_EQ(static_cast<int64_t>(placed->units.size()), job.nodes);
      EXPECT_EQ(static_cast<int64_t>(placed->spares.size()), job.spares);
    }
  }

  void QuotasHold(const queue::Situation& s, const queue::Answers& answers) {
    std::map<std::string, int64_t> held;
    for (const queue::Holder& holder : s.holders) held[holder.turn.ns] += static_cast<int64_t>(holder.nodes.size());
    for (const queue::Answer& answer : answers.jobs) {
      const Placed* placed = PlacedOf(answer);
      if (placed == nullptr) continue;
      const std::string& ns = setup_.jobs[Index(answer.uid)].ns;
      held[ns] += static_cast<int64_t>(placed->units.size() + placed->spares.size());
      EXPECT_LE(held[ns], setup_.policy.QuotaOf(ns)) << "namespace " << ns;
    }
  }

  // For the first that waits, where it is allowed, and nobody who is about to go. (That the least work is lost is held
  // against all choices in victims_test.)
  void PreemptsTheLessUrgent(const queue::Situation& s, const queue::Answers& answers) {
    if (answers.preemptions.empty()) return;
    EXPECT_TRUE(setup_.policy.preempt);
    const auto leader = std::find_if(answers.jobs.begin(), answers.jobs.end(), [](const auto& a) { return a.leads; });
    ASSERT_NE(leader, answers.jobs.end());
    std::set<JobUid> going;
    for (const queue::Preemption& preemption : answers.preemptions) {
      EXPECT_EQ(preemption.by, leader->uid);
      EXPECT_LT(setup_.jobs[Index(preemption.uid)].priority, setup_.jobs[Index(leader->uid)].priority);
      going.insert(preemption.uid);
    }
    for (const queue::Holder& holder : s.holders) {
      if (going.erase(holder.turn.uid) == 0) continue;
      EXPECT_FALSE(holder.leaving);
      EXPECT_GT(holder.ends, s.now + setup_.policy.stop);
    }
    EXPECT_TRUE(going.empty()) << "only who has nodes gives some up";
  }

  void IgnoresOrder(const queue::Situation& s, const queue::Answers& answers) {
    if (++looks_ % 4 != 0) return;
    queue::Situation other = s;
    std::reverse(other.queued.begin(), other.queued.end());
    std::reverse(other.holders.begin(), other.holders.end());
    std::reverse(other.repairs.begin(), other.repairs.end());
    const queue::Answers again = queue::Admit(other, setup_.policy);
    ASSERT_EQ(answers.jobs.size(), again.jobs.size());
    for (size_t i = 0; i < answers.jobs.size(); ++i) {
      EXPECT_EQ(answers.jobs[i].uid, again.jobs[i].uid);
      EXPECT_EQ(answers.jobs[i].position, again.jobs[i].position);
      EXPECT_EQ(answers.jobs[i].starts_by, again.jobs[i].starts_by);
      ASSERT_EQ(answers.jobs[i].decision.index(), again.jobs[i].decision.index());
      if (PlacedOf(answers.jobs[i]) != nullptr) {
        EXPECT_EQ(PlacedOf(answers.jobs[i])->units, PlacedOf(again.jobs[i])->units);
      }
    }
    EXPECT_EQ(answers.preemptions.size(), again.preemptions.size());
  }

  // The first that waits keeps the time that it was promised, or an earlier one, unless a job comes that goes before it
  // or nodes fail. While nobody knows its time it is passed by nobody: it doesn't wait beyond the ends of those who ran
  // when that began. (With a promise it may: those who run may end early, and others use the time until the promise.)
  // That is also why nothing starves: the order never puts a job back (turn_test), so that each becomes first.
  void FirstIsNotDelayed(const queue::Situation& s, const queue::Answers& answers) {
    if (case_.failures) return;
    const queue::Answer* first = nullptr;
    bool ahead_started = false, behind_started = false;
    for (const queue::Answer& answer : answers.jobs) {
      if (answer.leads) first = &answer;
      if (PlacedOf(answer) == nullptr) continue;
      // Once it starts, it was in time.
      if (Index(answer.uid) == first_) {
        EXPECT_LE(s.now, promised_) << "job " << first_ << " starts late";
        EXPECT_TRUE(promised_ < absl::InfiniteFuture() || s.now <= latest_)
            << "job " << first_ << " was passed while it was first: " << s.now - latest_;
      }
      (first == nullptr ? ahead_started : behind_started) = true;
    }
    if (first == nullptr) {
      first_ = -1;
      return;
    }
    const int64_t index = Index(first->uid);
    const bool anew = index != first_ || ahead_started;
    if (!anew) {
      EXPECT_LE(first->starts_by, promised_) << "job " << index << " is put off";
    }
    if (anew || first->starts_by < absl::InfiniteFuture()) latest_ = LastEnd(s, answers, index);
    if (first->starts_by == absl::InfiniteFuture() && setup_.jobs[index].required.empty()) {
      EXPECT_FALSE(behind_started) << "nobody knows when job " << index << " starts, and it was passed";
    }
    // Nodes that are being given up count as free, and come free within kStop.
    const bool leaving = !answers.preemptions.empty() ||
                         std::any_of(s.holders.begin(), s.holders.end(), [](const auto& h) { return h.leaving; });
    const absl::Time promise = leaving ? std::max(first->starts_by, s.now + kStop) : first->starts_by;
    promised_ = anew ? promise : std::min(promised_, promise);
    first_ = index;
  }

  // When the last of those who have nodes now, or got them in this run before it, is gone.
  absl::Time LastEnd(const queue::Situation& s, const queue::Answers& answers, int64_t first) const {
    absl::Time last = s.now + kStop;
    for (const queue::Holder& holder : s.holders) {
      const TraceJob& job = setup_.jobs[Index(holder.turn.uid)];
      last = std::max(last, holder.since + std::min(job.run, job.limit));
    }
    for (const queue::Answer& answer : answers.jobs) {
      const TraceJob& job = setup_.jobs[Index(answer.uid)];
      if (Index(answer.uid) != first && PlacedOf(answer) != nullptr)
        last = std::max(last, s.now + std::min(job.run, job.limit));
    }
    return last;
  }

  const Case& case_;
  const Setup& setup_;
  int64_t looks_ = 0;
  int64_t first_ = -1;
  absl::Time promised_ = absl::InfiniteFuture(), latest_ = absl::InfiniteFuture();
};

class QueueProperties : public testing::TestWithParam<int> {};

TEST_P(QueueProperties, HoldInEveryRun) {
  int64_t backfilled = 0, preempted = 0, failed = 0;
  for (int i = 0; i < kCasesARange; ++i) {
    const uint64_t seed = 1 + static_cast<uint64_t>(GetParam()) * kCasesARange + i;
    Case made = MakeCase(seed);
    Watcher watcher(made);
    made.setup.observe = [&](const queue::Situation& s, const queue::Answers& answers) { watcher.Look(s, answers); };
    const absl::StatusOr<Result> result = Simulate(made.setup);
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.status();
    // Nothing starves: all that may run has run.
    for (size_t j = 0; j < result->jobs.size(); ++j) {
      const TraceJob& job = made.setup.jobs[j];
      const bool may = job.nodes + job.spares <= made.setup.policy.QuotaOf(job.ns);
      const Fate fate = result->jobs[j].fate;
      EXPECT_EQ(fate == Fate::kWaiting, !may && fate != Fate::kNever) << "job " << j;
      preempted += result->jobs[j].preempted;
      failed += result->jobs[j].failed;
      for (size_t k = j + 1; k < result->jobs.size(); ++k)
        backfilled += result->jobs[k].started < result->jobs[j].started && fate != Fate::kNever;
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    if (i % 16 != 0) continue;
    made.setup.observe = nullptr;
    const absl::StatusOr<Result> again = Simulate(made.setup);
    ASSERT_EQ(result->levels.size(), again->levels.size()) << "seed " << seed;
    for (size_t j = 0; j < result->jobs.size(); ++j)
      ASSERT_EQ(result->jobs[j].ended, again->jobs[j].ended) << "seed " << seed << ", job " << j;
  }
  // It must have got everywhere, or it proves nothing.
  EXPECT_GT(backfilled, 100);
  EXPECT_GT(preempted, 20);
  EXPECT_GT(failed, 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueueProperties, testing::Range(0, kRanges));

// A wide job amid an endless stream of narrow ones that always fit: the case that starves without reservations.
TEST(QueueStarvation, AWideJobInAStreamOfNarrowOnes_StartsWhenItsTurnComes) {
  for (const bool declared : {false, true}) {
    simulation::Setup setup;
    setup.cluster = *ClusterOfSpec("racks=2,nodes=4", "nodes");
    setup.costs = placement::HopCosts::Default(2);
    for (int i = 0; i < 2'000; ++i) {
      TraceJob job;
      job.name = absl::StrCat(i);
      job.submit = absl::Minutes(i);
      job.run = absl::Minutes(7);
      if (declared) job.limit = absl::Minutes(8);
      // The narrow ones are more urgent, by half a day's worth.
      job.priority = 1;
      if (i == 100) job.nodes = 8;
      if (i == 100) job.priority = 0;
      setup.jobs.push_back(job);
    }
    setup.policy.ageing = absl::Hours(12);
    const absl::StatusOr<Result> result = Simulate(setup);
    ASSERT_TRUE(result.ok());
    const absl::Duration wait = result->jobs[100].started - setup.jobs[100].submit;
    EXPECT_GE(wait, absl::Hours(11)) << "their points count";
    EXPECT_LE(wait, absl::Hours(12) + absl::Minutes(10)) << "and are worn off by waiting";
  }
}

}  // namespace
}  // namespace muster::simulation
