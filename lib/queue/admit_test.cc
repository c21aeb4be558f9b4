#include "lib/queue/admit.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/test_mesh.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::HopCosts;
using placement::Never;
using placement::NotNow;
using placement::Placed;
using placement::Request;
using ::testing::HasSubstr;

Request Wants(const std::string& name, int nodes, int priority = 0, const std::string& rack = "") {
  v1::JobSpec spec = placement::Job(nodes, 8);
  spec.set_priority(priority);
  if (!rack.empty()) (*spec.mutable_placement()->mutable_node_selector())["rack"] = rack;
  return placement::RequestOf("team/" + name, spec, nullptr).value();
}

QueuedJob Queued(const Request& request, int64_t submitted) {
  return {{request.spec.priority(), submitted, JobUid(request.job)}, &request};
}

Cluster Six() {
  return placement::ClusterOf({"rack"},
                              {{{"r1"}, placement::NodeNames("a", 4)}, {{"r2"}, placement::NodeNames("b", 2)}});
}

Answers AdmitAll(std::vector<QueuedJob> jobs, const Cluster& cluster) {
  return Admit({}, std::move(jobs), cluster, HopCosts::Default(1));
}

TEST(Admit, PriorityThenSubmission_StartWhileTheyFit) {
  const Request first = Wants("first", 2), second = Wants("second", 2), urgent = Wants("urgent", 4, 10);
  const Answers answers = AdmitAll({Queued(second, 2), Queued(first, 1), Queued(urgent, 3)}, Six());
  ASSERT_EQ(answers.jobs.size(), 3u);
  EXPECT_EQ(answers.jobs[0].uid.value(), "team/urgent");
  EXPECT_TRUE(std::holds_alternative<Placed>(answers.jobs[0].decision));
  EXPECT_EQ(answers.jobs[1].uid.value(), "team/first");
  EXPECT_TRUE(std::holds_alternative<Placed>(answers.jobs[1].decision));
  EXPECT_TRUE(std::holds_alternative<NotNow>(answers.jobs[2].decision));
  EXPECT_EQ(answers.jobs[2].position, 1);
}

TEST(Admit, BlockedHead_KeepsWhatItCouldUse) {
  Cluster cluster = Six();
  cluster.state_of(*cluster.topology->Find("a1")).free = false;
  const Request head = Wants("head", 4, 5, "r1"), small = Wants("small", 1, 0, "r1"), other = Wants("other", 2);
  const Answers answers = AdmitAll({Queued(head, 1), Queued(small, 2), Queued(other, 3)}, cluster);
  EXPECT_TRUE(std::holds_alternative<NotNow>(answers.jobs[0].decision));
  ASSERT_TRUE(std::holds_alternative<NotNow>(answers.jobs[1].decision));
  EXPECT_EQ(answers.jobs[1].behind.value(), "team/head");
  EXPECT_EQ(answers.jobs[1].position, 2);
  EXPECT_THAT(ReasonOf(answers.jobs[1].decision), HasSubstr("team/head (priority 5) waits ahead"));
  // The head can never use rack r2, so a job there delays nobody.
  ASSERT_TRUE(std::holds_alternative<Placed>(answers.jobs[2].decision)) << ReasonOf(answers.jobs[2].decision);
  EXPECT_EQ(std::get<Placed>(answers.jobs[2].decision).placement.ranks(0).node(), "b1");
}

TEST(Admit, ImpossibleJob_BlocksNobody) {
  const Request vast = Wants("vast", 7, 9), small = Wants("small", 6);
  const Answers answers = AdmitAll({Queued(vast, 1), Queued(small, 2)}, Six());
  EXPECT_TRUE(std::holds_alternative<Never>(answers.jobs[0].decision));
  EXPECT_EQ(answers.jobs[0].position, 0);
  EXPECT_TRUE(std::holds_alternative<Placed>(answers.jobs[1].decision));
}

TEST(Admit, Repair_GoesBeforeTheQueue) {
  Cluster cluster = Six();
  const Request running = Wants("running", 1, -5), urgent = Wants("urgent", 6, 100);
  RepairJob repair;
  repair.turn = {-5, 1, JobUid("team/running")};
  repair.repair.request = &running;
  repair.repair.units = {*cluster.topology->Find("a1")};
  repair.repair.vacated = {0};
  cluster.state_of(repair.repair.units[0]).ok = false;
  const Answers answers = Admit({repair}, {Queued(urgent, 1)}, cluster, HopCosts::Default(1));
  ASSERT_TRUE(std::holds_alternative<Placed>(answers.repairs[0].decision));
  EXPECT_TRUE(std::holds_alternative<NotNow>(answers.jobs[0].decision));
}

TEST(Admit, RandomQueues_NeverShareANodeAndIgnoreArrivalOrder) {
  std::mt19937 random(23);
  for (int round = 0; round < 60; ++round) {
    Cluster cluster = Six();
    for (placement::NodeState& state : cluster.states) state.free = random() % 4 != 0;
    std::vector<Request> requests;
    for (int i = 0; i < 5; ++i) {
      requests.push_back(Wants("j" + std::to_string(i), 1 + random() % 4, random() % 3, random() % 3 == 0 ? "r1" : ""));
    }
    std::vector<QueuedJob> jobs;
    for (size_t i = 0; i < requests.size(); ++i) jobs.push_back(Queued(requests[i], static_cast<int64_t>(i / 2)));
    const Answers expected = AdmitAll(jobs, cluster);
    std::shuffle(jobs.begin(), jobs.end(), random);
    const Answers shuffled = AdmitAll(jobs, cluster);
    std::vector<bool> used(cluster.states.size());
    for (size_t i = 0; i < expected.jobs.size(); ++i) {
      EXPECT_EQ(expected.jobs[i].uid, shuffled.jobs[i].uid);
      EXPECT_EQ(ReasonOf(expected.jobs[i].decision), ReasonOf(shuffled.jobs[i].decision));
      const auto* placed = std::get_if<Placed>(&expected.jobs[i].decision);
      if (placed == nullptr) continue;
      for (const NodeIndex node : placed->units) {
        EXPECT_TRUE(cluster.Available(node));
        EXPECT_FALSE(used[node.value()]);
        used[node.value()] = true;
      }
    }
  }
}

}  // namespace
}  // namespace muster::queue
