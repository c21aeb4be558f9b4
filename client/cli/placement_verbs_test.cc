// plan, explain and compare placements on files of nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "client/cli/compare_placements.h"
#include "client/cli/exit_code.h"
#include "client/cli/explain.h"
#include "client/cli/harness.h"
#include "client/cli/plan.h"

namespace muster::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class PlacementVerbs : public testing::Test {
 protected:
  PlacementVerbs() : muster_(Commands()) {}

  static std::vector<CommandInfo> Commands() {
    std::vector<CommandInfo> commands;
    AddPlanCommand(commands);
    AddExplainCommand(commands);
    AddComparePlacements(commands);
    return commands;
  }

  static std::string File(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
    std::ofstream(path) << text;
    return path;
  }

  static std::string Job(int members, const std::string& axes, const std::string& placement = "{}") {
    return absl::StrCat("name: job\nspec:\n  members: ", members,
                        "\n  workersPerMember: 8\n  mesh: {dialect: megatron, order: tp-cp-ep-dp-pp, axes: {", axes,
                        "}}\n  placement: ", placement, "\n");
  }

  Json PlanJson(const std::string& job, const std::string& nodes) {
    muster_.in = job;
    EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "-o", "json"}), kExitOk)
        << muster_.err << muster_.out;
    return Json::parse(muster_.out, nullptr, false);
  }

  Harness muster_;
};

constexpr char kNoMesh[] = "name: job\nspec: {members: 3, workersPerMember: 8}\n";

TEST_F(PlacementVerbs, Plan_ReadsEveryFormat) {
  const std::string kube =
      R"({"apiVersion":"v1","kind":"List","items":[)"
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"topology.gke.io/cluster":"c","topology.gke.io/rack":"r1"}},"status":{"allocatable":{"nvidia.com/gpu":"8"}}},)"
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n2","labels":{"topology.gke.io/cluster":"c","topology.gke.io/rack":"r1"}},"status":{"allocatable":{"nvidia.com/gpu":"8"}}},)"
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n3","labels":{"topology.gke.io/cluster":"c","topology.gke.io/rack":"r2"}},"status":{"allocatable":{"nvidia.com/gpu":"8"}}}]})";
  struct Row {
    std::string file;
    std::string text;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"nodes.json", kube, "n3    c/r2"},
      {"nodes.csv", "node,block,rack,gpus\nn1,b1,r1,8\nn2,b1,r1,8\nn3,b1,r2,8\n", "n3    b1/r2"},
      {"topology.conf", "SwitchName=s Switches=l[1-2]\nSwitchName=l1 Nodes=n[1-2]\nSwitchName=l2 Nodes=n3\n",
       "n3    s/l2"},
      {"topology.yaml",
       "- topology: t\n  tree:\n    switches:\n    - {switch: s, children: \"l[1-2]\"}\n    - {switch: l1, nodes: "
       "\"n[1-2]\"}\n"
       "    - {switch: l2, nodes: n3}\n",
       "n3    s/l2"},
      {"graph.json",
       R"({"instances":[{"id":"n1","network_layers":["l1","s"]},{"id":"n2","network_layers":["l1","s"]},{"id":"n3","network_layers":["l2","s"]}]})",
       "n3    s/l2"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    muster_.in = kNoMesh;
    EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", File(row.file, row.text)}), kExitOk) << muster_.err;
    EXPECT_THAT(muster_.out, HasSubstr(row.says));
    EXPECT_TRUE(muster_.state.calls.empty());
  }
  // Which levels, and what is guessed, is said.
  muster_.in = kNoMesh;
  muster_.Muster({"plan", "-f", "-", "--nodes", File("topology.conf", rows[2].text)});
  EXPECT_THAT(muster_.out, HasSubstr("says nothing of accelerators: 8 a node are taken (--gpus)"));
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", File("topology.conf", rows[2].text), "--gpus", "4"}),
            kExitNo);
  EXPECT_THAT(muster_.out, HasSubstr("Never: "));
}

TEST_F(PlacementVerbs, Plan_FlagsAboutTheFileNeedIt) {
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--levels", "gke"}), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("add --nodes FILE"));
  muster_.in = kNoMesh;
  const std::string nodes = File("nodes.csv", "node,gpus\nn1,8\nn2,8\nn3,8\n");
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "--nodes-format", "cvs"}), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("did you mean \"csv\"?"));
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "--nodes-format", "slurm"}), kExitInvalid);
  EXPECT_THAT(muster_.err, StartsWith(nodes + ":1: "));
}

TEST_F(PlacementVerbs, WhatIf_ChangesTheNodesAndSaysWhatItWasWithout) {
  const std::string nodes = File("nodes.csv", "node,rack,gpus\nn1,r1,8\nn2,r1,8\nn3,r1,8\nn4,r2,8\nn5,r2,8\nn6,r2,8\n");
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "--what-if", "drain=n[1-2]"}), kExitOk) << muster_.err;
  EXPECT_THAT(muster_.out, AllOf(HasSubstr("n4    r2"), HasSubstr("as it is: placed on 3")));
  muster_.in = kNoMesh;
  EXPECT_EQ(
      muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "--what-if", "drain=n[1-2]", "--what-if", "drain=n4,n5"}),
      kExitNo);
  EXPECT_THAT(muster_.out, HasSubstr("NotNow: "));
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes, "--what-if", "drain=n9"}), kExitInvalid);
  EXPECT_THAT(muster_.err, HasSubstr("there is no node n9"));
  // The coordinator is told, where its nodes are meant.
  muster_.in = kNoMesh;
  muster_.state.plan.mutable_explanation()->set_feasibility(v1::OK);
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--what-if", "end=team/x"}), kExitOk);
  EXPECT_THAT(muster_.state.calls.back(), HasSubstr("what_if: \"end=team/x\""));
}

TEST_F(PlacementVerbs, ExplainAFile_TellsTheWholeReasoning) {
  const std::string nodes =
      File("nodes.yaml",
           "tiers: [rack]\nnodes:\n- {name: n1, labels: {rack: r1}, capacity: {gpu: 8}}\n"
           "- {name: n2, labels: {rack: r1}, capacity: {gpu: 8}, condition: quarantined, reason: slow NIC}\n"
           "- {name: n3, labels: {rack: r1}, capacity: {gpu: 8}, job: team/x}\n");
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"explain", "job", "-f", "-", "--nodes", nodes}), kExitOk) << muster_.err;
  EXPECT_THAT(muster_.out,
              AllOf(StartsWith("NotNow: "), HasSubstr("team/x"), HasSubstr("slow NIC"), HasSubstr("when: ")));
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"explain", "job", "-f", "-", "--nodes", nodes, "-o", "json"}), kExitOk);
  EXPECT_EQ(Json::parse(muster_.out)["feasibility"], "NOT_NOW");
  muster_.in = "name: big\nspec: {members: 9, workersPerMember: 8}\n";
  EXPECT_EQ(muster_.Muster({"explain", "job", "-f", "-", "--nodes", nodes}), kExitOk);
  EXPECT_THAT(muster_.out, StartsWith("Never: "));
  const std::string csv = File("nodes.csv",
                               "node,gpus,state,until,job,ends\nn1,8,,,,\nn2,8,quarantined,2026-11-30T14:05:00Z,,\n"
                               "n3,8,,,team/x,2026-11-30T15:40:00Z\n");
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"explain", "job", "-f", "-", "--nodes", csv}), kExitOk);
  EXPECT_THAT(muster_.out, HasSubstr("possible by 15:40 UTC (in 2h40m), when team/x has ended and n2 is let back"));
  EXPECT_EQ(muster_.Muster({"explain", "job"}), kExitUsage);
  EXPECT_EQ(muster_.Muster({"explain", "job", "a", "--nodes", nodes}), kExitUsage);
  EXPECT_EQ(muster_.Muster({"explain", "job", "a", "-f", "-"}), kExitUsage);
}

TEST_F(PlacementVerbs, ComparePlacements_SetsTwoSideBySide) {
  std::string csv = "node,block,rack,gpus\n";
  for (int i = 0; i < 16; ++i) absl::StrAppend(&csv, "n", i, ",b1,r", i % 4, ",8\n");
  const std::string nodes = File("nodes.csv", csv);
  const std::string job = Job(8, "tp: 4, cp: 2, dp: 4, pp: 2");
  muster_.in = job;
  EXPECT_EQ(muster_.Muster({"compare", "placements", "muster", "torchrun", "-f", "-", "--nodes", nodes}), kExitOk)
      << muster_.err;
  EXPECT_THAT(muster_.out, AllOf(HasSubstr("muster  torchrun"), HasSubstr("cost"), HasSubstr("racks touched"),
                                 HasSubstr("dp_cp edges across racks"), HasSubstr("node ranks' nodes are in both")));
  for (const std::string other : {"kueue", "slurm", "torchrun", "name-order", "kueue+muster"}) {
    muster_.in = job;
    EXPECT_EQ(muster_.Muster({"compare", "placements", "muster", other, "-f", "-", "--nodes", nodes, "-o", "json"}),
              kExitOk);
    EXPECT_GE(Json::parse(muster_.out)["costRatio"].get<double>(), 1.0) << other;
  }
  const std::string mine = File("mine.txt", "n0,n4 # rack r0\nn8\nn12\nn[1,5,9,13]\n");
  muster_.in = job;
  EXPECT_EQ(muster_.Muster({"compare", "placements", mine, mine, "-f", "-", "--nodes", nodes}), kExitOk) << muster_.err;
  EXPECT_THAT(muster_.out, HasSubstr("the placements are the same"));
}

TEST_F(PlacementVerbs, ComparePlacements_OnLiveNodes) {
  for (int i = 0; i < 4; ++i) {
    v1::Node& node = muster_.state.nodes[absl::StrCat("n", i)];
    node.mutable_info()->set_name(absl::StrCat("n", i));
    (*node.mutable_info()->mutable_capacity())["gpu"] = 8;
  }
  muster_.in = kNoMesh;
  EXPECT_EQ(muster_.Muster({"compare", "placements", "muster", "slurm", "-f", "-"}), kExitOk) << muster_.err;
  EXPECT_THAT(muster_.out, HasSubstr("3 of 3 node ranks' nodes are in both"));
}

TEST_F(PlacementVerbs, ComparePlacements_Nonsense) {
  const std::string nodes = File("nodes.csv", "node,gpus\nn1,8\nn2,8\nn3,8\n");
  const auto compare = [&](const std::string& other) {
    muster_.in = kNoMesh;
    return muster_.Muster({"compare", "placements", "muster", other, "-f", "-", "--nodes", nodes});
  };
  EXPECT_EQ(compare("kueu"), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("a placement is muster, name-order, kueue"));
  EXPECT_EQ(compare(File("short.txt", "n1\n")), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("lists 1 nodes; the job has 3 node ranks"));
  EXPECT_EQ(compare(File("twice.txt", "n1 n1 n2\n")), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("node n1 is there twice"));
  EXPECT_EQ(compare(File("other.txt", "n1 n2 n7\n")), kExitUsage);
  EXPECT_THAT(muster_.err, HasSubstr("there is no node n7"));
}

// The three shapes that Muster grew from, with ranks by index on nodes in order: what is known of these layouts.
struct Crossing {
  std::string family;
  int groups, size, in_node;
  int crossing_groups, crossing_edges, edges;  // of racks
};
struct Seed {
  std::string about;
  int nodes, racks;
  std::string axes;
  std::vector<Crossing> crossings;
};

const std::vector<Seed>& Seeds() {
  static const auto& seeds = *new std::vector<Seed>{
      // A stage is four nodes, a rack: data parallelism within it, the pipeline from node n to n+4.
      {"64 GPUs",
       8,
       2,
       "tp: 4, cp: 2, dp: 4, pp: 2",
       {{"tp", 16, 4, 16, 0, 0, 64},
        {"cp", 32, 2, 32, 0, 0, 64},
        {"dp_cp", 8, 8, 0, 0, 0, 64},
        {"pp", 32, 2, 0, 32, 32, 32}}},
      // TP in the node, DP on one rail of a stage's eight nodes behind one leaf, PP on one rail of nodes n, n+8, n+16,
      // n+24.
      {"rail-optimised",
       32,
       4,
       "tp: 8, dp: 8, pp: 4",
       {{"tp", 32, 8, 32, 0, 0, 256}, {"dp_cp", 32, 8, 0, 0, 0, 256}, {"pp", 64, 4, 0, 64, 192, 192}}},
      // The token exchange is the whole stage: eight nodes, one rack here; every pair of its ranks.
      {"experts",
       32,
       4,
       "tp: 4, cp: 2, dp: 8, pp: 4, ep: 64, etp: 1",
       {{"tp", 64, 4, 64, 0, 0, 256},
        {"dp_cp", 16, 16, 0, 0, 0, 256},
        {"ep", 4, 64, 0, 0, 0, 4 * 64 * 63 / 2},
        {"pp", 64, 4, 0, 64, 192, 192}}},
  };
  return seeds;
}

std::string NodesInOrder(int nodes, int racks) {
  std::string csv = "node,rack,gpus\n";
  for (int i = 0; i < nodes; ++i) absl::StrAppend(&csv, "n", i, ",r", i * racks / nodes, ",8\n");
  return csv;
}

TEST_F(PlacementVerbs, Seeds_RanksByIndexAreWhereTheyAreKnownToBe) {
  for (const Seed& seed : Seeds()) {
    SCOPED_TRACE(seed.about);
    const Json plan =
        PlanJson(Job(seed.nodes, seed.axes, "{rankBy: index}"), File("seed.csv", NodesInOrder(seed.nodes, seed.racks)));
    const Json& placement = plan["explanation"]["placement"];
    for (int i = 0; i < seed.nodes; ++i) EXPECT_EQ(placement["ranks"][i]["node"], absl::StrCat("n", i));
    for (const Crossing& want : seed.crossings) {
      SCOPED_TRACE(want.family);
      const auto is = [&](const Json& one) { return one["family"] == want.family; };
      const Json& all = placement["crossings"];
      const auto found = std::find_if(all.begin(), all.end(), is);
      ASSERT_NE(found, all.end());
      EXPECT_EQ((*found)["groups"], absl::StrCat(want.groups));
      EXPECT_EQ((*found)["groupSize"], absl::StrCat(want.size));
      EXPECT_EQ((*found)["groupsInNode"], absl::StrCat(want.in_node));
      EXPECT_EQ((*found)["edges"], absl::StrCat(want.edges));
      EXPECT_EQ((*found)["tiers"][0]["crossingGroups"], absl::StrCat(want.crossing_groups));
      EXPECT_EQ((*found)["tiers"][0]["crossingEdges"], absl::StrCat(want.crossing_edges));
    }
  }
}

TEST_F(PlacementVerbs, Seeds_RanksByTopologyNeverCostMore) {
  for (const Seed& seed : Seeds()) {
    // Nodes in order, and dealt over the racks so that the order of the names means nothing.
    for (const bool dealt : {false, true}) {
      std::string csv = "node,block,rack,gpus\n";
      for (int i = 0; i < seed.nodes; ++i) {
        const int rack = dealt ? i * 7 % seed.racks : i * seed.racks / seed.nodes;
        absl::StrAppend(&csv, "n", i, ",b", rack % 2, ",r", rack, ",8\n");
      }
      const std::string nodes = File("seed.csv", csv);
      const auto cost = [&](const std::string& rank_by) {
        const Json plan = PlanJson(Job(seed.nodes, seed.axes, absl::StrCat("{rankBy: ", rank_by, "}")), nodes);
        return std::stoll(plan["explanation"]["placement"]["cost"].get<std::string>());
      };
      EXPECT_LE(cost("topology"), cost("index")) << seed.about << (dealt ? ", dealt" : ", in order");
    }
  }
}

TEST_F(PlacementVerbs, RailSeed_PrintsItsCrossings) {
  muster_.in = Job(32, "tp: 8, dp: 8, pp: 4", "{rankBy: index}");
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", File("seed.csv", NodesInOrder(32, 4))}), kExitOk)
      << muster_.err;
  EXPECT_THAT(muster_.out, HasSubstr("FAMILY  GROUPS  IN NODE  IN RACK  ACROSS RACKS   EDGES ACROSS RACKS\n"
                                     "tp      32 × 8       32        0             0             0 of 256\n"
                                     "dp_cp   32 × 8        0       32             0             0 of 256\n"
                                     "pp      64 × 4        0        0            64           192 of 192\n"));
}

}  // namespace
}  // namespace muster::cli
