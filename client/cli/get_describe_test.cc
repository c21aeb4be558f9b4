#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/cli/describe.h"
#include "client/cli/get.h"
#include "client/cli/samples.h"

namespace muster::cli {
namespace {

std::vector<CommandInfo> Commands() {
  std::vector<CommandInfo> commands;
  AddGetCommands(commands);
  AddDescribeCommands(commands);
  return commands;
}

class GetDescribe : public testing::Test {
 protected:
  GetDescribe() : muster_(Commands()) {
    muster_.state.jobs["team-a/llama"] = RunningJob();
    v1::Job& done = muster_.state.jobs["default/done"];
    done = Parsed<v1::Job>(R"pb(
      namespace: "default"
      name: "done"
      phase: FINISHED
      result: FAILED
      why: "member 3 exited with 1"
      spec { members: 2 }
      receipt_id: "rcp-1")pb");
    *done.mutable_submitted() = Before(7200);
    *done.mutable_phase_since() = Before(3600);
    muster_.state.nodes["gpu-a01"] = SampleNode("gpu-a01");
    v1::Node& slow = muster_.state.nodes["gpu-c07"];
    slow = SampleNode("gpu-c07");
    slow.set_use(v1::FREE);
    slow.clear_job();
    slow.set_condition(v1::QUARANTINED);
    slow.set_reason("NIC mlx5_3 slow");
    slow.set_set_by("rcp-7f3b");
    *slow.mutable_until() = Before(-3900);
    muster_.state.receipts["rcp-7f3b"] = FailedReceipt();
  }

  Harness muster_;
};

TEST_F(GetDescribe, GetJobs) {
  EXPECT_EQ(muster_.Muster({"get", "jobs", "-a"}), 0);
  EXPECT_EQ(muster_.out,
            R"(JOB           STATE    FOR    WORKERS  PRIORITY  ATTEMPT  EPOCH  SUBMITTED  WHY
default/done  failed   1h00m        2         0        0      –  2h00m ago  member 3 exited with 1
team-a/llama  running  41 s        64         0        0      1  1m40s ago  all 8 members released
)");
}

TEST_F(GetDescribe, GetJobs_FinishedOnesOnlyWhereAsked) {
  muster_.Muster({"get", "job"});
  EXPECT_EQ(muster_.out.find("default/done"), std::string::npos);
  muster_.state.jobs.clear();
  EXPECT_EQ(muster_.Muster({"get", "jobs"}), 0);
  EXPECT_EQ(muster_.out, "");
  EXPECT_EQ(muster_.err, "no jobs in progress (finished ones: --all)\n");
}

TEST_F(GetDescribe, GetJobs_WideHasExactTimes) {
  muster_.Muster({"get", "jobs", "-o", "wide"});
  EXPECT_NE(muster_.out.find("2026-11-30 12:58:20 UTC"), std::string::npos) << muster_.out;
  EXPECT_NE(muster_.out.find("job-00000000000000a1"), std::string::npos);
}

TEST_F(GetDescribe, GetJobs_ForPrograms) {
  muster_.Muster({"get", "jobs", "-o", "json"});
  EXPECT_EQ(nlohmann::json::parse(muster_.out)["jobs"][0]["name"], "llama");
  muster_.Muster({"get", "job", "team-a/llama", "-o", "json"});
  EXPECT_EQ(nlohmann::json::parse(muster_.out)["epoch"], "1");
  muster_.Muster({"get", "jobs", "-o", "name"});
  EXPECT_EQ(muster_.out, "team-a/llama\n");
  muster_.Muster({"get", "jobs", "-o", "yaml"});
  EXPECT_EQ(muster_.out.substr(0, 40), "jobs:\n  - uid: job-00000000000000a1\n    ");
}

TEST_F(GetDescribe, GetNodes) {
  EXPECT_EQ(muster_.Muster({"get", "nodes"}), 0);
  EXPECT_EQ(muster_.out, R"(NODE     TOPOLOGY  GPUS  USE                     SEEN     CONDITION
gpu-a01  b1/-         8  assigned: team-a/llama  2 s ago  ok
gpu-c07  b1/-         8  free                    2 s ago  quarantined until 14:05: NIC mlx5_3 slow
)");
}

TEST_F(GetDescribe, HostileNames_AreEscaped) {
  v1::Node evil = SampleNode("evil\x1b]0;owned\x07\nFAKE ROW");
  muster_.state.nodes = {{"evil", evil}};
  muster_.Muster({"get", "nodes"});
  EXPECT_EQ(muster_.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(muster_.out.begin(), muster_.out.end(), '\n'), 2);
  EXPECT_NE(muster_.out.find("evil\\x1b]0;owned\\x07\\nFAKE ROW"), std::string::npos);
}

TEST_F(GetDescribe, GetReceipts) {
  EXPECT_EQ(muster_.Muster({"get", "receipts", "--job", "team-a/llama"}), 0);
  EXPECT_EQ(muster_.out, R"(RECEIPT   VERDICT  JOB               ATTEMPT  WORKERS  BACKEND  TRIGGER    FINISHED
rcp-7f3b  failed   team-a/llama-70b        1      256  nccl     preflight  1m02s ago
)");
  EXPECT_EQ(muster_.state.calls.back(), R"(ListReceipts job { namespace: "team-a" name: "llama" } page_size: 1000)");
}

TEST_F(GetDescribe, DescribeJob) {
  EXPECT_EQ(muster_.Muster({"describe", "job", "llama", "-n", "team-a"}), 0);
  EXPECT_EQ(muster_.out, R"(team-a/llama  running   for 41 s
  all 8 members released

shape      8 members × 8 workers = 64
mesh       megatron tp-cp-ep-dp-pp   tp 4  cp 2  dp 4  pp 2
members    7 of 8 here; missing: index 4
life       attempt 0, epoch 1
self-test  quick   receipt rcp-7f3a
launch     by others (muster exec)
submitted  1m40s ago

placed on 8 of the 10 free nodes of block b1, the lowest domain that fits
NODE RANK  POD  NODE     BLOCK/RACK  GLOBAL RANKS  DP  PP  MEMBER
        0    7  gpu-a01  b1/r1       0–7            0   0  here
        1    6  gpu-a02  b1/r1       8–15           1   0  here
        2    5  gpu-b01  b1/r2       16–23          2   0  here
        3    4  gpu-b02  b1/r2       24–31          3   0  missing
        4    3  gpu-a03  b1/r1       32–39          0   1  here
        5    2  gpu-a04  b1/r1       40–47          1   1  here
        6    1  gpu-b03  b1/r2       48–55          2   1  here
        7    0  gpu-b04  b1/r2       56–63          3   1  here

FAMILY  GROUPS  IN NODE  IN RACK  ACROSS RACKS   EDGES ACROSS RACKS
tp      16 × 4       16        0             0              0 of 64
dp_cp    8 × 8        0        0             8             16 of 64
pp      32 × 2        0       32             0              0 of 32
cost 3,600 (optimal: equals the lower bound) · ranks in name order would cost 9,504 (2.64 ×)

next: muster describe receipt rcp-7f3a
)");
}

TEST_F(GetDescribe, DescribeNode) {
  EXPECT_EQ(muster_.Muster({"describe", "node/gpu-c07"}), 0);
  EXPECT_EQ(muster_.out, R"(gpu-c07  quarantined until 14:05: NIC mlx5_3 slow   free
  set by rcp-7f3b

topology  b1/-
capacity  gpu=8
address   10.0.3.11
agent     0.1.0   backends gloo   may start workers
source    agent
seen      2 s ago
uid       u-1
labels    topology.example.com/rack=r1

ACCELERATOR  KIND  UUID
          0  cpu   acc-0

next: muster readmit node gpu-c07
)");
}

TEST_F(GetDescribe, DescribeReceipt) {
  EXPECT_EQ(muster_.Muster({"describe", "receipt", "rcp-7f3b"}), 0);
  EXPECT_EQ(
      muster_.out,
      R"(FAILED  team-a/llama-70b attempt 1   32 members, 256 workers (tp 8, dp 8, pp 4)   nccl 2.27.3   took 58 s   1m02s ago
rcp-7f3b   placement d2

FAMILY  COLLECTIVE      GROUPS    SIZE  BUSBW GB/s: slowest  median  SLOWEST OF MEDIAN  floor  DATA      VERDICT
tp      all_reduce      32 × 8   1 GiB                458.2   461.0  ▇▇▇▇▇▇▇▇▇▇ 0.99    400.0  ok        pass
dp_cp   reduce_scatter  32 × 8   1 GiB                 23.1    47.6  ▇▇▇▇▇▁▁▁▁▁ 0.49     40.0  ok        FAIL  1 of 32 groups
pp      send_recv       64 × 4  16 MiB                 22.8    46.9  ▇▇▇▇▇▁▁▁▁▁ 0.49        –  12 WRONG  FAIL  1 of 64 groups

GROUP    COLLECTIVE      RANKS                   BUSBW GB/s  VERDICT  WHY
dp_cp 3  reduce_scatter  3,11,19,27,35,43,51,59        23.1  FAIL     0.49 of the median of its 31 siblings

accused: gpu-c07 NIC mlx5_3   confidence high
  the dp_cp group on rail 3 with gpu-c07: 23.1; the other 31 groups: 47.1–48.0

done: gpu-c07 quarantined until 14:05; its rank given to gpu-d14
noted: tokens_per_second = 41000
next: when gpu-c07 is repaired: muster selftest node gpu-c07 (passing readmits it); without a test: muster readmit node gpu-c07
)");
}

TEST_F(GetDescribe, DescribeReceipt_SaysWhatBudgetsCut) {
  v1::Receipt& receipt = muster_.state.receipts["rcp-7f3b"];
  receipt.add_plans()->add_steps()->set_iterations(20);
  receipt.mutable_groups(0)->set_iterations(20);
  muster_.Muster({"describe", "receipt", "rcp-7f3b"});
  EXPECT_EQ(muster_.out.find("timed iterations"), std::string::npos);
  receipt.add_groups()->set_iterations(5);
  muster_.Muster({"describe", "receipt", "rcp-7f3b"});
  EXPECT_NE(muster_.out.find("timed iterations: 5–20 of 20, cut to"), std::string::npos) << muster_.out;
}

TEST_F(GetDescribe, DescribeReceipt_ShowsPairsAsAMap) {
  v1::Receipt& receipt = muster_.state.receipts["rcp-7f3b"];
  for (int i = 0; i < 4; ++i) receipt.mutable_placement()->add_ranks()->set_node("n" + std::to_string(i));
  const auto pair = [&](int a, int b, double gbps) {
    v1::GroupResult& group = *receipt.add_groups();
    group.set_family("pairs");
    group.add_node_ranks(a);
    group.add_node_ranks(b);
    group.set_measured(gbps > 0);
    group.set_busbw_gbps(gbps);
    group.set_verdict(gbps > 0 ? v1::PASS : v1::INCONCLUSIVE);
  };
  pair(0, 1, 10);
  pair(0, 1, 9.9);
  pair(0, 2, 10.1);
  pair(1, 3, 7);
  pair(2, 3, 4);
  v1::PairProbe& probe = *receipt.add_probes();
  probe.set_node_a("n3");
  probe.set_node_b("n0");
  probe.set_verdict(v1::FAIL);
  muster_.Muster({"describe", "receipt", "rcp-7f3b"});
  EXPECT_NE(muster_.out.find(R"(
NODE PAIRS  median 9.90 GB/s; of it: ░ 0.85 and more  ▒ 0.5  ▓ less  █ failed  · none
n0   ░ ░ █
n1 ░   · ▒
n2 ░ ·   ▓
n3 █ ▒ ▓
)"),
            std::string::npos)
      << muster_.out;
}

TEST_F(GetDescribe, UnknownNames_ExitWith3_AndSayWhereToLook) {
  EXPECT_EQ(muster_.Muster({"describe", "job", "nope"}), 3);
  EXPECT_EQ(muster_.err, "muster: no job is called default/nope\n  jobs there are: muster get jobs --all\n");
  EXPECT_EQ(muster_.Muster({"get", "nodes", "nope"}), 3);
  EXPECT_EQ(muster_.err, "muster: no node is called nope\n  nodes there are: muster get nodes\n");
  EXPECT_EQ(muster_.Muster({"describe", "receipt", "nope"}), 3);
  EXPECT_EQ(muster_.err, "muster: no receipt is called nope\n  receipts there are: muster get receipts\n");
  EXPECT_EQ(muster_.out, "");
}

}  // namespace
}  // namespace muster::cli
