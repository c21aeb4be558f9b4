// A host dies under a running job: its member comes back on a spare host with the same rank, nobody else moves, and all
// start anew in one new epoch.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/harness/cluster.h"

namespace muster::harness {
namespace {

// What a worker wrote at one start: "<rank> <epoch> <node>".
struct Start {
  std::string rank, epoch, node;
};

std::vector<Start> Starts(const std::string& file) {
  std::vector<Start> starts;
  for (absl::string_view line : absl::StrSplit(ReadFile(file), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() == 3) starts.push_back({words[0], words[1], words[2]});
  }
  return starts;
}

std::vector<Start> OfEpoch(const std::vector<Start>& starts, const std::string& epoch) {
  std::vector<Start> found;
  for (const Start& start : starts) {
    if (start.epoch == epoch) found.push_back(start);
  }
  return found;
}

TEST(AgentLoss, WhileRunning_IsRepairedOnASpareAndNobodyElseMoves) {
  Cluster cluster({"--agent-lease", "6s"});
  const std::string folder = NewFolder("job");
  cluster.StartServer();
  for (const char* node : {"n1", "n2", "n3", "n4"}) cluster.StartAgent({.name = node});
  ASSERT_TRUE(cluster.WaitForNodes(4)) << cluster.Logs();
  v1::SubmitRequest request = AgentJob("train", 3, 2, {{"tp", 2}, {"dp", 3}},
                                       {"/bin/sh", "-c",
                                        absl::StrCat("echo \"$RANK $MUSTER_EPOCH $MUSTER_NODE\" >> ", folder,
                                                     "/starts; until [ -e ", folder, "/go ]; do sleep 0.1; done")});
  request.mutable_spec()->mutable_self_test()->set_backend("simulated");
  cluster.Submit(request);
  ASSERT_TRUE(Eventually([&] { return Starts(folder + "/starts").size() == 6; }, absl::Seconds(90))) << cluster.Logs();
  const v1::Job before = cluster.Get("train");
  ASSERT_EQ(before.phase(), v1::RUNNING);
  const std::string lost = before.placement().ranks(1).node();

  cluster.KillAgent(lost);
  ASSERT_TRUE(Eventually([&] { return OfEpoch(Starts(folder + "/starts"), "2").size() == 6; }, absl::Seconds(120)))
      << cluster.Get("train").ShortDebugString() << cluster.Logs();
  const v1::Job after = cluster.Get("train");
  EXPECT_EQ(after.phase(), v1::RUNNING);
  EXPECT_EQ(after.epoch(), 2);
  EXPECT_EQ(after.attempt(), 0) << "a repair is no new attempt";
  ASSERT_EQ(after.placement().ranks_size(), 3);
  EXPECT_EQ(after.placement().ranks(0).node(), before.placement().ranks(0).node());
  EXPECT_EQ(after.placement().ranks(2).node(), before.placement().ranks(2).node());
  EXPECT_NE(after.placement().ranks(1).node(), lost);
  EXPECT_NE(after.placement().digest(), before.placement().digest());
  EXPECT_EQ(cluster.GetReceipt(after.receipt_id()).placement_digest(), after.placement().digest());

  // Every worker of the new epoch has the rank of its place; the survivors' ranks are those of before.
  std::map<std::string, std::string> node_of;
  for (const Start& start : OfEpoch(Starts(folder + "/starts"), "1")) node_of[start.rank] = start.node;
  std::set<std::string> ranks;
  for (const Start& start : OfEpoch(Starts(folder + "/starts"), "2")) {
    ranks.insert(start.rank);
    const bool moved = start.rank == "2" || start.rank == "3";
    EXPECT_EQ(start.node, moved ? after.placement().ranks(1).node() : node_of[start.rank]) << "rank " << start.rank;
  }
  EXPECT_EQ(ranks.size(), 6u);
  EXPECT_EQ(cluster.GetNode(lost).condition(), v1::LOST);

  // The host is back: it is free for others, and this job stays where it is.
  cluster.StartAgent({.name = lost});
  EXPECT_TRUE(Eventually([&] {
    const v1::Node node = cluster.GetNode(lost);
    return node.condition() == v1::NODE_OK && node.use() == v1::FREE;
  })) << cluster.GetNode(lost).ShortDebugString()
      << cluster.Logs();
  EXPECT_EQ(cluster.Get("train").epoch(), 2);
  std::ofstream(folder + "/go") << "\n";
  const v1::Job end = cluster.WaitForEnd("train");
  EXPECT_EQ(end.result(), v1::SUCCEEDED) << end.why() << cluster.Logs();
  EXPECT_EQ(OfEpoch(Starts(folder + "/starts"), "2").size(), 6u);
  EXPECT_EQ(Starts(folder + "/starts").size(), 12u) << "a third epoch, or a worker started twice";
}

}  // namespace
}  // namespace muster::harness
