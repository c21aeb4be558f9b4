// watch, explain, cancel; quarantine, readmit, drain; selftest, compare, annotate.
#include <gtest/gtest.h>

#include "client/cli/exit_code.h"
#include "client/cli/explain.h"
#include "client/cli/job_verbs.h"
#include "client/cli/node_verbs.h"
#include "client/cli/receipt_verbs.h"
#include "client/cli/samples.h"
#include "client/cli/selftest_verbs.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

std::vector<CommandInfo> Commands() {
  std::vector<CommandInfo> commands;
  AddJobVerbs(commands);
  AddExplainCommand(commands);
  AddNodeVerbs(commands);
  AddReceiptVerbs(commands);
  AddSelfTestVerbs(commands);
  return commands;
}

class Verbs : public testing::Test {
 protected:
  Verbs() : muster_(Commands()) {
    muster_.state.jobs["team-a/llama"] = RunningJob();
    muster_.state.nodes["gpu-c07"] = SampleNode("gpu-c07");
    muster_.state.receipts["rcp-7f3b"] = FailedReceipt();
  }

  static v1::Job At(v1::Phase phase, const std::string& why) {
    v1::Job job;
    job.set_uid("job-00000000000000a1");
    job.set_namespace_("team-a");
    job.set_name("llama");
    job.set_phase(phase);
    job.set_why(why);
    *job.mutable_submitted() = Before(72);
    *job.mutable_phase_since() = Before(3);
    return job;
  }
  static v1::Job Ended(v1::Result result, const std::string& why) {
    v1::Job job = At(v1::FINISHED, why);
    job.set_result(result);
    job.set_receipt_id("rcp-1");
    job.set_epoch(1);
    return job;
  }
  static v1::Job TestingAt(int64_t done) {
    v1::Job job = At(v1::TESTING, "tests its groups");
    job.mutable_test_progress()->set_family("pp");
    job.mutable_test_progress()->set_groups_done(done);
    job.mutable_test_progress()->set_groups_total(64);
    return job;
  }

  Harness muster_;
};

TEST_F(Verbs, WatchJob_OneLineAChange_AndTheResultAsExitCode) {
  v1::Job running = At(v1::RUNNING, "all 8 members released");
  running.set_epoch(1);
  muster_.state.job_streams = {{{At(v1::QUEUED, "position 1"), TestingAt(1), TestingAt(40), running, running,
                                 Ended(v1::SUCCEEDED, "all members exited with 0")},
                                absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama"}), kExitOk);
  EXPECT_EQ(muster_.out, R"(13:00:00  queued      position 1
13:00:00  testing     tests its groups
13:00:00  running     all 8 members released · epoch 1
13:00:00  succeeded   all members exited with 0
team-a/llama succeeded after 1m12s   receipt rcp-1
)");
}

// Nodes that end one by one and members that come one by one are no news; another reason, place in the queue or round
// is.
TEST_F(Verbs, WatchJob_WithinAPhase_OnlyNewsHasALine) {
  const auto queued = [](int32_t position) {
    v1::Job job = At(v1::QUEUED, "4 nodes are needed; 2 are free");
    job.set_queue_position(position);
    return job;
  };
  v1::Job second_round = TestingAt(1);
  second_round.mutable_test_progress()->set_round(2);
  const std::string lost = "repairs: member 1 exited with code 3 on n2";
  muster_.state.job_streams = {
      {{queued(3), queued(2), queued(2), queued(1), TestingAt(1), TestingAt(9), second_round,
        At(v1::ASSEMBLING, "waits for 2 of 2 members to call: pod indexes 0, 1"),
        At(v1::ASSEMBLING, "waits for 1 of 2 members to call: pod index 1"),
        At(v1::REPAIRING, lost + "; waits for the end of what ran before on 2 nodes: n1, n2"),
        At(v1::REPAIRING, lost + "; waits for the end of what ran before on 1 node: n2"),
        At(v1::REPAIRING, lost + "; failed 2 times in a row, so it waits until 13:00:10 UTC"),
        At(v1::REPAIRING, lost + "; waits for its self-test"),
        At(v1::STOPPING, "stops: cancelled; waits for the end of what runs on 2 nodes: n1, n2"),
        At(v1::STOPPING, "stops: cancelled; waits for the end of what runs on 1 node: n2"),
        Ended(v1::RESULT_CANCELLED, "cancelled")},
       absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama"}), kExitCancelled);
  EXPECT_EQ(muster_.out, R"(13:00:00  queued      4 nodes are needed; 2 are free · position 3 in the queue
13:00:00  queued      4 nodes are needed; 2 are free · position 2 in the queue
13:00:00  queued      4 nodes are needed; 2 are free · position 1 in the queue
13:00:00  testing     tests its groups
13:00:00  testing     tests its groups
13:00:00  assembling  waits for 2 of 2 members to call: pod indexes 0, 1
13:00:00  repairing   member 1 exited with code 3 on n2; waits for the end of what ran before on 2 nodes: n1, n2
13:00:00  repairing   member 1 exited with code 3 on n2; failed 2 times in a row, so it waits until 13:00:10 UTC
13:00:00  stopping    cancelled; waits for the end of what runs on 2 nodes: n1, n2
13:00:00  cancelled   epoch 1
team-a/llama cancelled after 1m12s   receipt rcp-1
)");
}

TEST_F(Verbs, WatchJob_OnATerminal_RedrawsTheProgress) {
  muster_.screen = {.terminal = true, .columns = 80};
  muster_.state.job_streams = {{{TestingAt(1), TestingAt(24), Ended(v1::SUCCEEDED, "done")}, absl::OkStatus()}};
  muster_.Muster({"watch", "job", "team-a/llama"});
  EXPECT_NE(muster_.out.find("\r\x1b[K          testing  pp 24 of 64 groups  3 s\r\x1b[K"), std::string::npos)
      << muster_.out;
}

TEST_F(Verbs, WatchJob_FailedAndCancelled_HaveTheirExitCodes) {
  muster_.state.job_streams = {{{Ended(v1::FAILED, "member 3 exited with 1")}, absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama"}), kExitNo);
  EXPECT_NE(muster_.out.find("next: muster describe receipt rcp-1\n"), std::string::npos);
  muster_.state.job_streams = {{{Ended(v1::RESULT_CANCELLED, "by a person")}, absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama"}), kExitCancelled);
}

TEST_F(Verbs, WatchJob_CoordinatorGoesAway_IsWaitedForAndTheSameJobAskedFor) {
  muster_.state.job_streams = {{{At(v1::QUEUED, "position 1")}, absl::UnavailableError("gone")},
                               {{}, absl::UnavailableError("gone")},
                               {{Ended(v1::SUCCEEDED, "done")}, absl::OkStatus()}};
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama"}), kExitOk);
  ASSERT_EQ(muster_.state.calls.size(), 3u);
  EXPECT_EQ(muster_.state.calls[0].find("uid"), std::string::npos);
  EXPECT_NE(muster_.state.calls[2].find("uid: \"job-00000000000000a1\""), std::string::npos);
}

TEST_F(Verbs, WatchJob_NeverReached_GivesUp) {
  muster_.state.error =
      OutcomeError(absl::StatusCode::kUnavailable, v1::OUTCOME_UNSPECIFIED,
                   "can't reach the coordinator at 127.0.0.1:7070 (connection refused)", "is musterd running?");
  EXPECT_EQ(muster_.Muster({"watch", "job", "llama"}), kExitUnreachable);
  EXPECT_EQ(muster_.err,
            "muster: can't reach the coordinator at 127.0.0.1:7070 (connection refused)\n"
            "  is musterd running?\n");
}

TEST_F(Verbs, WatchJob_Timeout_EndsIt) {
  muster_.state.job_streams.assign(9, {{At(v1::QUEUED, "position 1")}, absl::UnavailableError("gone")});
  EXPECT_EQ(muster_.Muster({"watch", "job", "team-a/llama", "--timeout", "5s"}), kExitTimeout);
  EXPECT_EQ(muster_.state.calls.size(), 5u);
}

TEST_F(Verbs, ExplainJob_AnswerReasonsWaysOut) {
  muster_.state.explanation = Parsed<v1::Explanation>(R"pb(
    feasibility: NOT_NOW
    summary: "32 nodes in one block are required; the best block, b2, has 29 free and healthy."
    details: "b2  29 free  1 quarantined (gpu-c07: NIC mlx5_3 slow)"
    details: "b1  12 free"
    ways_out: "muster readmit node gpu-c07"
    ways_out: "placement.required: none")pb");
  EXPECT_EQ(muster_.Muster({"explain", "job", "team-a/llama"}), 0);
  EXPECT_EQ(muster_.out,
            R"(NotNow: 32 nodes in one block are required; the best block, b2, has 29 free and healthy.
  b2  29 free  1 quarantined (gpu-c07: NIC mlx5_3 slow)
  b1  12 free
way out: muster readmit node gpu-c07
     or: placement.required: none
)");
}

TEST_F(Verbs, CancelJob) {
  EXPECT_EQ(muster_.Muster({"cancel", "job", "team-a/llama", "--reason", "wrong data"}), 0);
  EXPECT_EQ(muster_.out, "team-a/llama stopping: all 8 members released\nnext: muster watch job team-a/llama\n");
  EXPECT_EQ(muster_.state.calls.back(), R"(Cancel job { namespace: "team-a" name: "llama" } reason: "wrong data")");
}

TEST_F(Verbs, QuarantineNode) {
  EXPECT_EQ(muster_.Muster({"quarantine", "node", "gpu-c07", "--reason", "NIC slow", "--for", "2h"}), 0);
  EXPECT_EQ(muster_.out, "gpu-c07  quarantined: NIC slow   still assigned: team-a/llama\n");
  EXPECT_EQ(muster_.state.calls.back(), R"(Quarantine name: "gpu-c07" reason: "NIC slow" duration { seconds: 7200 })");
}

TEST_F(Verbs, DrainAndReadmitNode) {
  EXPECT_EQ(muster_.Muster({"drain", "node", "gpu-c07"}), 0);
  EXPECT_EQ(muster_.out, "gpu-c07  draining   still assigned: team-a/llama\n");
  EXPECT_EQ(muster_.Muster({"readmit", "nodes", "gpu-c07", "nope"}), kExitNotFound);
  EXPECT_EQ(muster_.out, "gpu-c07  ok   still assigned: team-a/llama\n");
  EXPECT_EQ(muster_.err, "muster: no node is called nope\n  nodes there are: muster get nodes\n");
}

TEST_F(Verbs, SelftestNodes_EndsWithTheReceipt_AndItsVerdict) {
  v1::SelfTestProgress last;
  last.set_phase(v1::FINISHED);
  last.set_receipt_id("rcp-7f3b");
  v1::SelfTestProgress testing;
  testing.set_phase(v1::TESTING);
  muster_.state.test_stream = {testing, last};
  EXPECT_EQ(muster_.Muster({"selftest", "nodes", "a", "b", "--profile", "soak", "--workers", "2"}), kExitNo);
  EXPECT_EQ(muster_.out.rfind("testing 2 nodes as job default/selftest-1\nFAILED  team-a/llama-70b attempt 1", 0), 0u);
  EXPECT_EQ(muster_.err, "muster: testing\nmuster: finished\n");
  EXPECT_EQ(muster_.state.calls[0],
            R"(StartSelfTest nodes: "a" nodes: "b" self_test { profile: SOAK } workers_per_member: 2)");
  muster_.state.receipts["rcp-7f3b"].set_verdict(v1::PASS);
  EXPECT_EQ(muster_.Muster({"selftest", "nodes", "a", "b"}), kExitOk);
}

TEST_F(Verbs, SelftestNode_BringsSiblings) {
  v1::SelfTestProgress last;
  last.set_phase(v1::FINISHED);
  last.set_receipt_id("rcp-7f3b");
  muster_.state.test_stream = {last};
  const auto add = [&](const std::string& name, const std::string& rack) -> v1::Node& {
    v1::Node& node = muster_.state.nodes[name];
    node = SampleNode(name);
    node.set_use(v1::FREE);
    node.clear_job();
    node.set_condition(v1::NODE_OK);
    node.clear_topology_path();
    node.add_topology_path(rack);
    node.mutable_info()->clear_backends();
    node.mutable_info()->add_backends("gloo");
    return node;
  };
  muster_.state.nodes.clear();
  add("slow", "r2").set_condition(v1::QUARANTINED);
  add("far1", "r1");
  add("far2", "r1");
  add("far10", "r1");
  add("near", "r2");
  add("busy", "r2").set_use(v1::ASSIGNED);
  add("ill", "r2").set_condition(v1::QUARANTINED);
  add("bare", "r2").mutable_info()->clear_backends();
  add("other", "r2").mutable_info()->mutable_accelerators(0)->set_kind("h100");
  EXPECT_EQ(muster_.Muster({"selftest", "node", "slow"}), kExitNo);
  EXPECT_EQ(muster_.out.rfind("testing slow beside near, far1, far2 as job default/selftest-1\n", 0), 0u);
  const auto started = [&] {
    for (const std::string& call : muster_.state.calls)
      if (call.rfind("StartSelfTest", 0) == 0) return call;
    return std::string();
  };
  EXPECT_EQ(started(), R"(StartSelfTest nodes: "slow" nodes: "near" nodes: "far1" nodes: "far2" self_test { })");
  for (const char* name : {"far1", "far2", "far10"}) muster_.state.nodes[name].set_use(v1::ASSIGNED);
  muster_.Muster({"selftest", "node", "slow"});
  EXPECT_NE(muster_.err.find("only 1 sibling free; three are needed"), std::string::npos) << muster_.err;
  muster_.state.nodes["near"].set_use(v1::ASSIGNED);
  EXPECT_EQ(muster_.Muster({"selftest", "node", "slow"}), kExitRefused);
  EXPECT_EQ(muster_.err,
            "muster: there is nothing to compare slow with: no free and healthy node is like it\n"
            "  wait for one, see \"muster get nodes\"\n");
}

TEST_F(Verbs, SelftestJob_TestsItsNodesInItsShape) {
  v1::SelfTestProgress last;
  last.set_phase(v1::FINISHED);
  last.set_receipt_id("rcp-7f3b");
  muster_.state.test_stream = {last};
  v1::Job& job = muster_.state.jobs["team-a/llama"];
  EXPECT_EQ(muster_.Muster({"selftest", "job", "team-a/llama"}), kExitRefused);
  EXPECT_EQ(muster_.err.rfind("muster: job team-a/llama is running on its nodes", 0), 0u) << muster_.err;
  job.set_phase(v1::FINISHED);
  EXPECT_EQ(muster_.Muster({"selftest", "job", "team-a/llama", "--profile", "standard"}), kExitNo);
  std::string submitted;
  for (const std::string& call : muster_.state.calls)
    if (call.rfind("Submit", 0) == 0) submitted = call;
  EXPECT_NE(submitted.find("kind: TEST_ONLY"), std::string::npos) << submitted;
  EXPECT_NE(submitted.find(R"(nodes: "gpu-a01")"), std::string::npos) << submitted;
  EXPECT_NE(submitted.find("profile: STANDARD"), std::string::npos) << submitted;
  job.clear_placement();
  job.clear_receipt_id();
  EXPECT_EQ(muster_.Muster({"selftest", "job", "team-a/llama"}), kExitRefused);
}

TEST_F(Verbs, ExportReceipt) {
  EXPECT_EQ(muster_.Muster({"export", "receipt", "rcp-7f3b"}), 0);
  EXPECT_NE(muster_.out.find("| dp\\_cp | reduce\\_scatter | 32 × 8 | 1 GiB | 23.1 | 47.6 |"), std::string::npos)
      << muster_.out;
  EXPECT_NE(muster_.out.find("**Accused: gpu-c07 NIC mlx5"), std::string::npos) << muster_.out;
  EXPECT_EQ(muster_.Muster({"export", "receipt", "rcp-7f3b", "--as", "nccl-tests"}), 0);
  EXPECT_NE(muster_.out.find("  1073741824    268435456   uint32    sum     -1"), std::string::npos) << muster_.out;
  EXPECT_NE(muster_.out.find("# Out of bounds values : 12 FAILED\n"), std::string::npos) << muster_.out;
  EXPECT_EQ(muster_.Muster({"export", "receipt", "rcp-7f3b", "--as", "xml"}), kExitUsage);
  EXPECT_EQ(muster_.Muster({"export", "receipt", "nope"}), kExitNotFound);
}

TEST_F(Verbs, CompareReceipts) {
  muster_.state.comparison = Parsed<v1::CompareReceiptsResponse>(R"pb(
    same_placement: true
    same_shape: true
    differences { field: "nodes[0].facts.backend_version" left: "2.27.3" right: "2.26.5" }
    differences { field: "families.dp_cp.busbw_median" left: "47.6" right: "24.0" ratio: 0.5042 }
    differences { field: "nodes[0].facts.hca" left: "mlx5" right: "" })pb");
  EXPECT_EQ(muster_.Muster({"compare", "receipts", "rcp-7f3c", "rcp-6e10"}), 0);
  EXPECT_EQ(muster_.out, R"(same placement digest   same job shape
CHANGED                         FROM       TO        RATIO
nodes[0].facts.backend_version  2.27.3  →  2.26.5
families.dp_cp.busbw_median     47.6    →  24.0     0.50 ×
nodes[0].facts.hca              mlx5    →  (unset)
)");
}

TEST_F(Verbs, AnnotateReceipt) {
  EXPECT_EQ(muster_.Muster({"annotate", "receipt", "rcp-7f3b", "loss=1.9", "eq=a=b", "gone="}), 0);
  EXPECT_EQ(muster_.out, "rcp-7f3b annotated: 4 entries\n");
  EXPECT_NE(muster_.state.calls.back().find(R"(key: "eq" value: "a=b")"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
