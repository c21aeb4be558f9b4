#include "lib/simulation/simulate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/simulation/chart.h"
#include "lib/simulation/report.h"
#include "lib/simulation/spec.h"

namespace muster::simulation {
namespace {

using ::testing::HasSubstr;

TraceJob Job(const std::string& name, int submit_minutes, int nodes, int run_minutes, int limit_minutes = 0) {
  TraceJob job;
  job.name = name;
  job.submit = absl::Minutes(submit_minutes);
  job.nodes = nodes;
  job.run = absl::Minutes(run_minutes);
  if (limit_minutes > 0) job.limit = absl::Minutes(limit_minutes);
  return job;
}

class SimulateTest : public testing::Test {
 protected:
  SimulateTest() {
    setup_.cluster = *ClusterOfSpec("racks=2,nodes=4", "nodes");
    setup_.costs = placement::HopCosts::Default(2);
  }
  Result Run(std::vector<TraceJob> jobs) {
    setup_.jobs = std::move(jobs);
    return Simulate(setup_).value();
  }
  simulation::Setup setup_;
};

TEST_F(SimulateTest, ByHand) {
  // wide waits for long; short is gone before; tail is not.
  const Result result =
      Run({Job("long", 0, 6, 60, 60), Job("wide", 10, 8, 30), Job("short", 20, 2, 40, 40), Job("tail", 25, 2, 10, 50)});
  const auto started = [&](int job) { return absl::ToInt64Minutes(result.jobs[job].started); };
  EXPECT_EQ(started(0), 0);
  EXPECT_EQ(started(2), 20) << "backfilled: gone by 60";
  EXPECT_EQ(started(1), 60);
  EXPECT_EQ(started(3), 90) << "it declares more than there is until 60";
  EXPECT_EQ(absl::ToInt64Minutes(result.end), 100);
  const Report report = Summarise(setup_.jobs, result);
  // (6·60 + 8·30 + 2·40 + 2·10) / (8·100)
  EXPECT_DOUBLE_EQ(report.utilisation_in_all, 700.0 / 800);
  // Until 25: 6·25 + 2·5.
  EXPECT_DOUBLE_EQ(report.utilisation, 160.0 / 200);
  EXPECT_EQ(report.done, 4);
  EXPECT_EQ(report.waits.max, absl::Minutes(65));
  EXPECT_EQ(report.waits.p50, absl::ZeroDuration());
  EXPECT_EQ(report.deepest_queue, 2);
}

TEST_F(SimulateTest, Limits_EndJobs_AndTheImpossibleIsNamed) {
  const Result result = Run({Job("over", 0, 1, 60, 50), Job("vast", 0, 9, 10), Job("good", 0, 1, 50, 50)});
  EXPECT_EQ(result.jobs[0].fate, Fate::kOverLimit);
  EXPECT_EQ(result.jobs[0].ended, absl::Minutes(50));
  EXPECT_EQ(result.jobs[1].fate, Fate::kNever);
  EXPECT_EQ(result.jobs[2].fate, Fate::kDone) << "to the very end of its limit";
}

TEST_F(SimulateTest, OneThatNeverFits_IsToldSo_ThoughNothingElseHappens) {
  EXPECT_EQ(Run({Job("vast", 0, 9, 10)}).jobs[0].fate, Fate::kNever);
}

TEST_F(SimulateTest, Quota_KeepsWaiting) {
  setup_.policy.quotas = {{"*", 4}};
  const Result result = Run({Job("beyond", 0, 5, 10), Job("a", 0, 3, 10), Job("b", 0, 3, 10)});
  EXPECT_EQ(result.jobs[0].fate, Fate::kWaiting);
  EXPECT_EQ(result.jobs[2].started, absl::Minutes(10));
}

TEST_F(SimulateTest, Preemption_LosesWorkSinceTheCheckpoint) {
  setup_.policy.preempt = true;
  setup_.failures.checkpoint = absl::Minutes(20);
  TraceJob urgent = Job("urgent", 50, 8, 10);
  urgent.priority = 1;
  const Result result = Run({Job("low", 0, 8, 60), urgent});
  EXPECT_EQ(result.jobs[0].preempted, 1);
  EXPECT_EQ(result.jobs[1].started, absl::Minutes(50) + kStop);
  // 40 of 50 minutes were saved, 20 are left.
  EXPECT_EQ(result.jobs[0].ended, absl::Minutes(80) + kStop);
  EXPECT_DOUBLE_EQ(result.lost_node_seconds, 8 * 600);
}

TEST_F(SimulateTest, FailedNodes_AreReplaced) {
  setup_.failures = {.every = absl::Hours(40), .repair = absl::Hours(1), .checkpoint = absl::Minutes(30), .seed = 3};
  const Result result = Run({Job("a", 0, 6, 60 * 50), Job("b", 0, 2, 60 * 40)});
  EXPECT_GT(result.failures, 3);
  EXPECT_GT(result.jobs[0].failed, 0);
  EXPECT_EQ(result.jobs[0].fate, Fate::kDone);
  EXPECT_EQ(result.jobs[1].fate, Fate::kDone);
  EXPECT_GT(result.jobs[0].ended, absl::Hours(50)) << "work was done again";
  EXPECT_GT(result.lost_node_seconds, 0);
  for (const Level& level : result.levels) EXPECT_LE(level.busy + level.down, 8);
  EXPECT_EQ(result.levels.back().busy, 0);
  EXPECT_EQ(result.end, std::max(result.jobs[0].ended, result.jobs[1].ended)) << "no failure after it counts";
}

TEST_F(SimulateTest, CostsAreHeldAgainstTheBound) {
  TraceJob job = Job("mesh", 0, 8, 10);
  job.mesh.tp = 8;
  job.mesh.pp = 2;
  const Result result = Run({job});
  EXPECT_GT(result.jobs[0].bound, 0);
  EXPECT_GE(result.jobs[0].cost, result.jobs[0].bound);
  const Report report = Summarise(setup_.jobs, result);
  EXPECT_EQ(report.ratios.jobs, 1);
  EXPECT_GE(report.ratios.max, 1);
  job.mesh.tp = 7;
  setup_.jobs = {job};
  EXPECT_THAT(std::string(Simulate(setup_).status().message()), HasSubstr("job mesh: "));
}

TEST_F(SimulateTest, MovesThatWouldMakeRoom_AreCounted_NotMade) {
  // b is beside a, which ends at 30; c has the other rack. At 40 one node of each rack is in use.
  TraceJob whole = Job("whole", 40, 4, 10);
  whole.required = "rack";
  const Result result = Run({Job("a", 0, 3, 30), Job("b", 0, 1, 100), Job("c", 1, 1, 100), whole});
  EXPECT_EQ(result.movable_leaders, 1);
  EXPECT_EQ(result.moves, 1);
  EXPECT_EQ(result.move_node_seconds, 39 * 60) << "c has less to lose than b";
  EXPECT_EQ(result.jobs[3].started, absl::Minutes(100));
  EXPECT_THAT(ToJson(Summarise(setup_.jobs, result)), HasSubstr("\"workNodeHours\": 0.65"));
}

TEST_F(SimulateTest, Nothing_IsNoTrouble) {
  const Result result = Run({});
  EXPECT_THAT(Chart(result), HasSubstr("</svg>"));
  EXPECT_THAT(ToJson(Summarise({}, result)), HasSubstr("\"utilisation\""));
}

TEST_F(SimulateTest, Chart_IsAPictureOfBoth) {
  const std::string svg = Chart(Run({Job("long", 0, 6, 60, 60), Job("wide", 10, 8, 30)}));
  EXPECT_THAT(svg, HasSubstr("nodes in use, of 8"));
  EXPECT_THAT(svg, HasSubstr("jobs in the queue"));
  EXPECT_THAT(svg, HasSubstr("minutes"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace muster::simulation
