#include "client/cli/exec_flags.h"

#include <gtest/gtest.h>

#include <map>

#include "client/cli/exit_code.h"

namespace muster::cli {
namespace {

using Vars = std::map<std::string, std::string>;

absl::StatusOr<ExecPlan> Plan(const ExecFlags& flags, const Vars& vars) {
  return PlanExec(
      flags,
      [&](const std::string& name) {
        const auto found = vars.find(name);
        return found == vars.end() ? std::string() : found->second;
      },
      "host-1");
}

TEST(PlanExec, FlagsAlone_AreEnoughOnAHost) {
  ExecFlags flags;
  flags.job = "team-a/llama";
  flags.index = 3;
  flags.server = "10.0.0.1:7070";
  flags.grace = absl::Seconds(5);
  flags.per_worker = true;
  flags.command = {"python3", "train.py"};
  const auto plan = Plan(flags, {{"HOME", "/home/u"}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->options.job.namespace_(), "team-a");
  EXPECT_EQ(plan->options.job.name(), "llama");
  EXPECT_EQ(plan->options.pod_index, 3);
  EXPECT_EQ(plan->options.node, "host-1");
  EXPECT_EQ(plan->options.per_member, false);
  EXPECT_EQ(plan->options.grace, absl::Seconds(5));
  ASSERT_TRUE(plan->source);
  EXPECT_EQ(plan->source->folder, "/home/u/.local/state/muster");
  EXPECT_EQ(plan->source->member, "team-a.llama/3");
  EXPECT_EQ(plan->source->pod_uid, "");
}

TEST(PlanExec, AgentsEnvironment_SaysItAll_AndNoFileIsCounted) {
  const auto plan = Plan({}, {{"MUSTER_JOB_UID", "job-1"},
                              {"MUSTER_JOB", "team-a/llama"},
                              {"MUSTER_POD_INDEX", "7"},
                              {"MUSTER_NODE", "gpu-a01"},
                              {"MUSTER_ADDRESS", "10.0.0.7"},
                              {"MUSTER_SERVER", "c:1"},
                              {"MUSTER_LOGS", "/data/logs/job-1/7"},
                              {"MUSTER_INCARNATION_ORDINAL", "1764480000000000"},
                              {"MUSTER_INCARNATION_RESTART_ATTEMPT", "2"},
                              {"MUSTER_INCARNATION_UID", "u"},
                              {"MUSTER_INCARNATION_CREATED", "2026-11-30T13:00:00.25Z"},
                              {"JOBSET_RESTART_ATTEMPT", "9"}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->options.job.uid(), "job-1");
  EXPECT_EQ(plan->options.job.name(), "");
  EXPECT_EQ(plan->options.pod_index, 7);
  EXPECT_EQ(plan->options.node, "gpu-a01");
  EXPECT_EQ(plan->options.address, "10.0.0.7");
  EXPECT_EQ(plan->options.server, "c:1");
  EXPECT_EQ(plan->options.logs, "/data/logs/job-1/7");
  EXPECT_FALSE(plan->source);
  EXPECT_EQ(plan->options.incarnation.ordinal(), 1764480000000000);
  EXPECT_EQ(plan->options.incarnation.restart_attempt(), 2);
  EXPECT_EQ(plan->options.incarnation.uid(), "u");
  EXPECT_EQ(plan->options.incarnation.created().seconds(), 1796043600);
  EXPECT_EQ(plan->options.incarnation.created().nanos(), 250'000'000);
}

TEST(PlanExec, InAPod_TheUidAndTheRestartCountLead) {
  const auto plan = Plan({}, {{"MUSTER_JOB", "llama"},
                              {"JOB_COMPLETION_INDEX", "0"},
                              {"MUSTER_POD_UID", "pod-9"},
                              {"JOBSET_RESTART_ATTEMPT", "4"},
                              {"MUSTER_STATE_DIR", "/state"}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->options.job.namespace_(), "default");
  ASSERT_TRUE(plan->source);
  EXPECT_EQ(plan->source->pod_uid, "pod-9");
  EXPECT_EQ(plan->source->restart_attempt, 4);
  EXPECT_EQ(plan->source->folder, "/state");
  EXPECT_FALSE(plan->options.per_member.has_value());
}

TEST(PlanExec, Flag_GoesBeforeTheEnvironment) {
  ExecFlags flags;
  flags.job = "other";
  flags.index = 1;
  flags.node = "n2";
  const auto plan = Plan(flags, {{"MUSTER_JOB_UID", "job-1"}, {"MUSTER_POD_INDEX", "7"}, {"MUSTER_NODE", "n1"}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->options.job.name(), "other");
  EXPECT_EQ(plan->options.pod_index, 1);
  EXPECT_EQ(plan->options.node, "n2");
}

TEST(PlanExec, WhatIsMissingOrMalformed_IsAUsageError) {
  struct Row {
    Vars vars;
    std::string want;
  };
  const Row rows[] = {
      {{}, "muster exec needs a job"},
      {{{"MUSTER_JOB", "a/b/c"}, {"MUSTER_POD_INDEX", "0"}}, "\"a/b/c\": not a job's name"},
      {{{"MUSTER_JOB", "a"}}, "muster exec needs this member's index"},
      {{{"MUSTER_JOB", "a"}, {"MUSTER_POD_INDEX", "x"}}, "MUSTER_POD_INDEX=x: not a whole number"},
      {{{"MUSTER_JOB", "a"}, {"JOB_COMPLETION_INDEX", "-1"}}, "JOB_COMPLETION_INDEX=-1: not a whole number"},
      {{{"MUSTER_JOB", "a"}, {"MUSTER_POD_INDEX", "1000000"}}, "from 0 to 999999"},
      {{{"MUSTER_JOB", "a"}, {"MUSTER_POD_INDEX", "0"}, {"MUSTER_INCARNATION_ORDINAL", "1e9"}},
       "MUSTER_INCARNATION_ORDINAL=1e9"},
      {{{"MUSTER_JOB", "a"},
        {"MUSTER_POD_INDEX", "0"},
        {"MUSTER_INCARNATION_ORDINAL", "1"},
        {"MUSTER_INCARNATION_CREATED", "yesterday"}},
       "MUSTER_INCARNATION_CREATED=yesterday: not a time"},
      {{{"MUSTER_JOB", "a"}, {"MUSTER_POD_INDEX", "0"}, {"SLURM_RESTART_COUNT", "many"}}, "SLURM_RESTART_COUNT=many"},
  };
  for (const Row& row : rows) {
    const auto plan = Plan({}, row.vars);
    EXPECT_TRUE(IsUsageError(plan.status())) << row.want;
    EXPECT_NE(std::string(plan.status().message()).find(row.want), std::string::npos) << plan.status();
  }
  ExecFlags both;
  both.job = "a";
  both.index = 0;
  both.per_member = both.per_worker = true;
  EXPECT_TRUE(IsUsageError(Plan(both, {}).status()));
}

}  // namespace
}  // namespace muster::cli
