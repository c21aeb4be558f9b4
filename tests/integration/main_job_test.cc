// The job that Muster exists for, with real processes: four hosts in two racks, eight workers that form every group
// they are handed and check the numbers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/harness/cluster.h"

namespace muster::harness {
namespace {

const std::map<std::string, int64_t> kAxes = {{"tp", 2}, {"pp", 2}, {"dp", 2}};

void StartFourHosts(Cluster& cluster) {
  for (const auto& [name, rack] : {std::pair("a1", "r1"), {"a2", "r1"}, {"b1", "r2"}, {"b2", "r2"}}) {
    cluster.StartAgent({.name = name, .rack = rack});
  }
  ASSERT_TRUE(cluster.WaitForNodes(4)) << cluster.Logs();
}

TEST(MainJob, FourHostsInTwoRacks_TestsRanksAndRunsEightWorkers) {
  std::vector<pid_t> left;
  const std::string mark = absl::StrCat("main-job-", getpid());
  {
    Cluster cluster;
    // Inherited by musterd and the agents, whose members get it from the job.
    setenv("MUSTER_TEST_MARK", mark.c_str(), 1);
    cluster.StartServer();
    StartFourHosts(cluster);
    v1::SubmitRequest request = AgentJob("train", 4, 2, kAxes, {Binary("demo/worker")});
    (*request.mutable_spec()->mutable_launch()->mutable_env())["MUSTER_TEST_MARK"] = mark;
    request.mutable_spec()->mutable_self_test()->set_backend("gloo");
    // How fast loopback is on a busy machine says nothing; whether the data is right does.
    request.mutable_spec()->mutable_self_test()->set_min_sibling_ratio(0.001);
    cluster.Submit(request);
    const v1::Job job = cluster.WaitForEnd("train", absl::Seconds(240));
    ASSERT_EQ(job.phase(), v1::FINISHED) << job.ShortDebugString() << cluster.Logs();
    EXPECT_EQ(job.result(), v1::SUCCEEDED) << job.why() << cluster.Logs();
    EXPECT_EQ(job.epoch(), 1);
    EXPECT_EQ(job.attempt(), 0);

    // Tensor parallelism stays in its host; all else is counted.
    std::map<std::string, v1::FamilyCrossings> crossings;
    for (const auto& family : job.placement().crossings()) crossings[family.family()] = family;
    ASSERT_TRUE(crossings.contains("tp") && crossings.contains("dp_cp") && crossings.contains("pp"))
        << job.placement().ShortDebugString();
    EXPECT_EQ(crossings["tp"].groups_in_node(), crossings["tp"].groups());
    EXPECT_EQ(crossings["tp"].groups(), 4);
    for (const auto& tier : crossings["tp"].tiers()) EXPECT_EQ(tier.crossing_groups(), 0) << tier.ShortDebugString();
    std::set<std::string> nodes;
    for (const auto& rank : job.placement().ranks()) nodes.insert(rank.node());
    EXPECT_EQ(nodes.size(), 4u);

    const v1::Receipt receipt = cluster.GetReceipt(job.receipt_id());
    EXPECT_TRUE(receipt.verdict() == v1::PASS || receipt.verdict() == v1::WARN) << receipt.ShortDebugString();
    EXPECT_FALSE(receipt.waived());
    EXPECT_EQ(receipt.placement_digest(), job.placement().digest());
    EXPECT_EQ(receipt.accused_size(), 0);
    std::set<std::string> tested;
    for (const auto& family : receipt.families()) {
      tested.insert(family.family());
      EXPECT_EQ(family.wrong_elements(), 0) << family.ShortDebugString();
      EXPECT_EQ(family.failed_groups() + family.inconclusive_groups(), 0) << family.ShortDebugString();
      EXPECT_TRUE(family.measured()) << family.ShortDebugString();
    }
    for (const char* family : {"tp", "pp", "dp"}) EXPECT_TRUE(tested.contains(family)) << family;

    std::string said;
    for (const std::string& node : nodes) said += cluster.MemberOutput(node);
    std::set<std::string> ranks;
    for (absl::string_view line : absl::StrSplit(said, '\n', absl::SkipEmpty())) {
      if (!absl::EndsWith(line, "all-reduce, all-gather, send/recv ok")) continue;
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      ASSERT_GE(words.size(), 4u) << line;
      EXPECT_EQ(words[3], "8") << line;
      ranks.insert(words[1]);
    }
    EXPECT_EQ(ranks, (std::set<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"})) << said;

    for (const std::string& node : nodes) {
      EXPECT_TRUE(Eventually([&] { return cluster.GetNode(node).use() == v1::FREE; })) << node;
      EXPECT_EQ(cluster.StopAgent(node, absl::Seconds(20)), 0) << node;
    }
    EXPECT_EQ(cluster.StopServer(absl::Seconds(15)), 0);
    left = ProcessesWith("MUSTER_TEST_MARK", mark);
  }
  // This very process had its environment before the mark was set, so it is not one of them.
  EXPECT_TRUE(left.empty()) << left.size() << " processes are left, the first with pid " << left[0];
}

}  // namespace
}  // namespace muster::harness
