#include "client/worker/messages.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "client/worker/exec.h"
#include "lib/base/errors.h"

namespace muster::worker {
namespace {

TEST(DescribeNotReady, NamesTheMissingMembers) {
  v1::NotReady n;
  n.set_phase(v1::ASSEMBLING);
  n.set_members(8);
  n.set_members_missing(3);
  for (int i : {4, 6, 7}) n.add_missing_indexes(i);
  n.set_self_test("pp 24 of 32 groups done");
  EXPECT_EQ(DescribeNotReady(n, absl::Seconds(72.4)),
            "waiting for 3 of 8 members (indexes 4, 6, 7) · self-test: pp 24 of 32 groups done · 1m12s");
}

TEST(DescribeNotReady, QueuedJob_SaysWhyAndWhere) {
  v1::NotReady n;
  n.set_phase(v1::QUEUED);
  n.set_why("4 nodes are needed, 2 are free");
  n.set_members_missing(4);
  n.set_queue_position(2);
  EXPECT_EQ(DescribeNotReady(n, absl::Seconds(3)), "4 nodes are needed, 2 are free · position 2 in the queue · 3s");
}

TEST(DescribeAssignment, SaysRanksEpochAndReceipt) {
  v1::Assignment a;
  a.set_pod_index(5);
  a.set_node_rank(2);
  a.set_members(8);
  a.set_workers_per_member(8);
  a.set_world(64);
  a.set_epoch(1);
  a.set_receipt_id("rcp-7f3a");
  EXPECT_EQ(DescribeAssignment(a),
            "member 5 → node rank 2 of 8, global ranks 16–23 of 64 · epoch 1 · receipt rcp-7f3a");
}

TEST(IndexWarning, OnlyWhereAScriptCouldConfuseThem) {
  v1::Assignment a;
  a.set_node_rank(2);
  unsetenv("JOB_COMPLETION_INDEX");
  EXPECT_EQ(IndexWarning(a), "");
  setenv("JOB_COMPLETION_INDEX", "2", 1);
  EXPECT_EQ(IndexWarning(a), "");
  setenv("JOB_COMPLETION_INDEX", "5", 1);
  EXPECT_NE(IndexWarning(a).find("JOB_COMPLETION_INDEX is 5 but the node rank is 2"), std::string::npos);
}

TEST(ExitCodeOf, FollowsTheTableOfOutcomes) {
  const std::pair<v1::Outcome, int> rows[] = {{v1::SUPERSEDED, 94},   {v1::WRONG_NODE, 95},    {v1::CANCELLED, 93},
                                              {v1::JOB_FINISHED, 93}, {v1::OUTCOME_NEVER, 93}, {v1::UNKNOWN_JOB, 96},
                                              {v1::BAD_REQUEST, 2}};
  for (const auto& [outcome, code] : rows) {
    EXPECT_EQ(ExitCodeOf(OutcomeError(absl::StatusCode::kFailedPrecondition, outcome, "x")), code)
        << v1::Outcome_Name(outcome);
  }
  EXPECT_EQ(ExitCodeOf(absl::InternalError("x")), kExitTrouble);
}

TEST(IsLauncher, KnowsThoseThatMakeTheirOwnWorkers) {
  EXPECT_TRUE(IsLauncher({"torchrun", "train.py"}));
  EXPECT_TRUE(IsLauncher({"/opt/venv/bin/deepspeed"}));
  EXPECT_TRUE(IsLauncher({"python3", "-u", "-m", "torch.distributed.run", "train.py"}));
  EXPECT_FALSE(IsLauncher({"python3", "train.py", "-m", "torch.distributed.run"}));
  EXPECT_FALSE(IsLauncher({"python3", "-m", "pytest"}));
  EXPECT_FALSE(IsLauncher({"./train"}));
  EXPECT_FALSE(IsLauncher({}));
}

}  // namespace
}  // namespace muster::worker
