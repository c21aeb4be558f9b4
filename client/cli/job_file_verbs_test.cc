// submit, plan, groups: what starts from a job file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "client/cli/exit_code.h"
#include "client/cli/groups.h"
#include "client/cli/plan.h"
#include "client/cli/samples.h"
#include "client/cli/submit.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

std::vector<CommandInfo> Commands() {
  std::vector<CommandInfo> commands;
  AddSubmitCommand(commands);
  AddPlanCommand(commands);
  AddGroupsCommand(commands);
  return commands;
}

constexpr char kSeedJob[] = R"(name: seed-64
spec:
  members: 8
  workersPerMember: 8
  mesh:
    dialect: megatron
    order: tp-cp-ep-dp-pp
    axes: {tp: 4, cp: 2, dp: 4, pp: 2}
)";

constexpr char kCluster[] = R"(tiers: [topology.example.com/block, topology.example.com/rack]
nodes:
  - {name: "gpu-a[01-04]", labels: {block: b1, rack: r1}, capacity: {gpu: 8}}
  - {name: "gpu-b[01-04]", labels: {block: b1, rack: r2}, capacity: {gpu: 8}}
  - {name: "gpu-c[01-02]", labels: {block: b1, rack: r3}, capacity: {gpu: 8}}
  - {name: "gpu-d[01-04]", labels: {block: b2, rack: r4}, capacity: {gpu: 8}}
  - {name: "gpu-e[01-04]", labels: {block: b2, rack: r5}, capacity: {gpu: 8}}
  - {name: "gpu-f[01-02]", labels: {block: b2, rack: r6}, capacity: {gpu: 8}}
)";

class JobFileVerbs : public testing::Test {
 protected:
  JobFileVerbs() : muster_(Commands()) { muster_.in = kSeedJob; }

  static std::string File(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
    std::ofstream(path) << text;
    return path;
  }

  Harness muster_;
};

TEST_F(JobFileVerbs, Submit_SaysTheStateAndWhatNext) {
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-", "-n", "team-a"}), kExitOk);
  EXPECT_EQ(muster_.out, R"(team-a/seed-64 submitted
queued: waits for its turn
next: muster watch job team-a/seed-64
)");
  EXPECT_NE(muster_.state.calls[0].find(R"(request_id: "request-1")"), std::string::npos);
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-", "-o", "name", "--name", "other"}), kExitOk);
  EXPECT_EQ(muster_.out, "default/other\n");
}

TEST_F(JobFileVerbs, SubmitWait_FollowsTheJob) {
  v1::Job done;
  done.set_uid("job-00000000000000a1");
  done.set_namespace_("default");
  done.set_name("seed-64");
  done.set_phase(v1::FINISHED);
  done.set_result(v1::FAILED);
  done.set_why("member 3 exited with 1");
  muster_.state.job_streams = {{{done}, absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-", "--wait"}), kExitNo);
  EXPECT_EQ(muster_.out, "default/seed-64 submitted\n13:00:00  failed      member 3 exited with 1\n");
}

TEST_F(JobFileVerbs, SubmitOfAWrongFile_NamesTheLine_AndSubmitsNothing) {
  muster_.in = "name: a\nspec:\n  members: 8\n  mesh:\n    axes: {tp: 4, dpp: 2}\n";
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-"}), kExitInvalid);
  EXPECT_EQ(muster_.err.rfind("(standard input):5: spec.mesh.axes.dpp: ", 0), 0u) << muster_.err;
  EXPECT_NE(muster_.err.find("did you mean \"dp\"?"), std::string::npos) << muster_.err;
  EXPECT_NE(muster_.err.find("\nnothing was submitted\n"), std::string::npos) << muster_.err;
  EXPECT_TRUE(muster_.state.calls.empty());
}

TEST_F(JobFileVerbs, SubmitRefusedByTheCoordinator_NamesTheLineToo) {
  muster_.state.error = FieldError("spec.members", "8 is over this namespace's limit of 4", "use at most 4");
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-"}), kExitInvalid);
  EXPECT_EQ(muster_.err.rfind("(standard input):3: spec.members: 8 is over", 0), 0u) << muster_.err;
  muster_.state.error = absl::AlreadyExistsError("job default/seed-64 exists");
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-"}), kExitRefused);
  EXPECT_EQ(muster_.err, "muster: job default/seed-64 exists\nnothing was submitted\n");
  muster_.state.error = absl::UnavailableError("connection lost");
  EXPECT_EQ(muster_.Muster({"submit", "-f", "-"}), kExitUnreachable);
  EXPECT_EQ(muster_.err, "muster: connection lost\n") << "it may have been submitted";
}

TEST_F(JobFileVerbs, PlanOffline_PrintsTheWholePlan) {
  const std::string nodes = File("cluster.yaml", kCluster);
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes}), kExitOk) << muster_.err;
  EXPECT_EQ(muster_.out,
            R"(job default/seed-64   64 workers, 8 members × 8   megatron tp-cp-ep-dp-pp   tp 4  cp 2  dp 4  pp 2
placed on 8 of the 10 free nodes of block b1, the lowest domain that fits (free: r1 4, r2 4, r3 2; 20 in all)

NODE RANK  NODE     BLOCK/RACK  GLOBAL RANKS  DP  PP
        0  gpu-a01  b1/r1       0–7            0   0
        1  gpu-a02  b1/r1       8–15           1   0
        2  gpu-b01  b1/r2       16–23          2   0
        3  gpu-b02  b1/r2       24–31          3   0
        4  gpu-a03  b1/r1       32–39          0   1
        5  gpu-a04  b1/r1       40–47          1   1
        6  gpu-b03  b1/r2       48–55          2   1
        7  gpu-b04  b1/r2       56–63          3   1

FAMILY  GROUPS  IN NODE  IN RACK  ACROSS RACKS   EDGES ACROSS RACKS
tp      16 × 4       16        0             0              0 of 64
cp      32 × 2       32        0             0              0 of 64
dp_cp    8 × 8        0        0             8             16 of 64
pp      32 × 2        0       32             0              0 of 32

cost 3,600 (optimal: equals the lower bound) · ranks in name order would cost 9,504 (2.64 ×)
)");
  EXPECT_TRUE(muster_.state.calls.empty());
}

TEST_F(JobFileVerbs, PlanThatDoesNotFit_ExitsWith1) {
  const std::string nodes = File("small.yaml", "nodes:\n  - {name: \"n[1-3]\", capacity: {gpu: 8}}\n");
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes}), kExitNo);
  EXPECT_NE(muster_.out.find("Never: "), std::string::npos) << muster_.out;
}

TEST_F(JobFileVerbs, PlanWithAWrongNodeFile_NamesItsLine) {
  const std::string nodes = File("wrong.yaml", "nodes:\n  - {name: n1}\n  - {name: n1}\n");
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-", "--nodes", nodes}), kExitInvalid);
  EXPECT_EQ(muster_.err.rfind(absl::StrCat(nodes, ":3: "), 0), 0u) << muster_.err;
}

TEST_F(JobFileVerbs, Plan_AsksTheCoordinator) {
  muster_.state.plan.mutable_explanation()->set_feasibility(v1::NOT_NOW);
  muster_.state.plan.mutable_explanation()->set_summary("8 nodes are required, 3 are free");
  muster_.state.plan.mutable_explanation()->add_details("b1  3 free");
  EXPECT_EQ(muster_.Muster({"plan", "-f", "-"}), kExitNo);
  EXPECT_EQ(muster_.out,
            R"(job default/seed-64   64 workers, 8 members × 8   megatron tp-cp-ep-dp-pp   tp 4  cp 2  dp 4  pp 2
NotNow: 8 nodes are required, 3 are free
  b1  3 free
)");
}

TEST_F(JobFileVerbs, GroupsOfRank3_InTheSeedExample) {
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--rank", "3", "--family", "tp"}), kExitOk);
  EXPECT_EQ(muster_.out, R"(rank 3 of 64   node rank 0, local rank 3   tp 3  cp 0  dp 0  pp 0

FAMILY  RANKS  SIZE  POSITION    GROUP
tp      0–3       4         3  0 of 16
)");
  muster_.Muster({"groups", "-f", "-", "--rank", "3"});
  EXPECT_EQ(muster_.out.find("\ntp "), muster_.out.find('\n', muster_.out.find("FAMILY"))) << "axes first";
  for (const char* line : {"tp         ", "0–3", "3,35", "3,11,19,27"}) {
    EXPECT_NE(muster_.out.find(line), std::string::npos) << line << "\n" << muster_.out;
  }
}

TEST_F(JobFileVerbs, GroupsAlongAnAxis) {
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--axis", "dp", "--rank", "3"}), kExitOk);
  EXPECT_NE(muster_.out.find("dp      3,11,19,27     4         0  3 of 16\n"), std::string::npos) << muster_.out;
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--axis", "pp"}), kExitOk);
  EXPECT_EQ(muster_.out, "FAMILY  GROUPS  RANKS\npp      32 × 2  0,32  1,33  2,34  3,35  … 28 more\n");
}

TEST_F(JobFileVerbs, GroupsForPrograms) {
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--rank", "3", "--axis", "pp", "-o", "json"}), kExitOk);
  EXPECT_EQ(nlohmann::json::parse(muster_.out), nlohmann::json::parse(R"({"rank": 3, "world": 64,
                                      "families": [{"family": "pp", "group": 3, "position": 0, "ranks": [3, 35]}]})"));
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--axis", "tp", "-o", "json"}), kExitOk);
  EXPECT_EQ(nlohmann::json::parse(muster_.out)["families"][0]["groups"][15], nlohmann::json::array({60, 61, 62, 63}));
}

TEST_F(JobFileVerbs, GroupsOfALiveJob_NameTheNode) {
  muster_.state.jobs["team-a/llama"] = RunningJob();
  EXPECT_EQ(muster_.Muster({"groups", "--job", "team-a/llama", "--rank", "17", "--axis", "tp"}), kExitOk);
  EXPECT_NE(muster_.out.find("rank 17 of 64   node rank 2, local rank 1, on gpu-b01   tp 1  cp 0  dp 2  pp 0\n"),
            std::string::npos)
      << muster_.out;
  EXPECT_EQ(muster_.Muster({"groups", "--job", "nope"}), kExitNotFound);
}

TEST_F(JobFileVerbs, GroupsThatAreNot_AreNamed) {
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--rank", "64"}), kExitUsage);
  EXPECT_EQ(muster_.err, "muster: --rank 64: default/seed-64 has ranks 0 to 63\n");
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--axis", "tpx"}), kExitUsage);
  EXPECT_NE(muster_.err.find("--axis tpx: this mesh has none; did you mean \"tp\"?"), std::string::npos);
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--family", "dp_pc"}), kExitUsage);
  EXPECT_NE(muster_.err.find("did you mean \"dp_cp\"?"), std::string::npos);
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-", "--axis", "ep"}), kExitUsage);
  EXPECT_NE(muster_.err.find("--axis ep: of size 1"), std::string::npos) << muster_.err;
  muster_.in = "name: a\nspec: {members: 4}\n";
  EXPECT_EQ(muster_.Muster({"groups", "-f", "-"}), kExitOk);
  EXPECT_EQ(muster_.out, "default/a has no mesh: ranks 0–3 and no groups\n");
}

}  // namespace
}  // namespace muster::cli
