// Orders: what is started, refused, repeated and forgotten.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/agent/task_board_fixture.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(TaskBoardTest, MemberThatExits_IsReportedWithItsCode) {
  Take(Start(1, "exit 7"));
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 7"));
  EXPECT_EQ(sink_.reports[0].mark().number(), 1u);
  EXPECT_EQ(sink_.reports[0].member_ended().incarnation().ordinal(), 1);
}

TEST_F(TaskBoardTest, OrdersFromThePast_DoNothing) {
  Take(Start(5, "exit 0"));
  PumpUntilReports(1);
  const std::string marker = folder_ + "/ran";
  Take(Start(3, "echo x > " + marker, 2));
  v1::Task lower_term = Start(6, "echo x > " + marker, 2);
  lower_term.mutable_mark()->set_term(0);
  Take(lower_term);
  EXPECT_FALSE(board_->AnythingRuns());
  EXPECT_EQ(sink_.reports.size(), 1u);
  EXPECT_EQ(board_->Known()[0].mark().number(), 5u);
}

TEST_F(TaskBoardTest, SameOrderUnderAHigherTerm_IsAnsweredAgainAndNotDoneAgain) {
  const std::string marker = folder_ + "/ran";
  v1::Task order = Start(5, "echo x >> " + marker + "; exit 3");
  Take(order);
  PumpUntilReports(1);
  order.mutable_mark()->set_term(2);
  Take(order);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 3", "member 0 code 3"));
  EXPECT_EQ(sink_.reports[1].mark().term(), 2u);
  EXPECT_EQ(Contents(marker), "x\n");
}

TEST_F(TaskBoardTest, SameIncarnationUnderALaterOrder_IsNotStartedTwice) {
  const std::string marker = folder_ + "/ran";
  Take(Start(1, "echo x >> " + marker));
  PumpUntilReports(1);
  Take(Start(2, "echo x >> " + marker));
  EXPECT_FALSE(board_->AnythingRuns());
  Take(Start(3, "echo y >> " + marker, 2));
  PumpUntilReports(2);
  EXPECT_EQ(Contents(marker), "x\ny\n");
}

TEST_F(TaskBoardTest, NewerIncarnation_StartsWhenTheOlderIsGone) {
  const std::string marker = folder_ + "/order";
  const std::string ready = folder_ + "/ready";
  Take(
      Start(1, "trap 'echo old >> " + marker + "; exit 1' TERM; echo x > " + ready + "; while :; do sleep 0.05; done"));
  PumpUntilFile(ready);
  Take(Start(2, "echo new >> " + marker, 2));
  PumpUntilReports(2);
  EXPECT_EQ(Contents(marker), "old\nnew\n");
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 1", "member 0 code 0"));
}

TEST_F(TaskBoardTest, RestartedAgent_KnowsItsOrdersAndReportsLostMembers) {
  Take(Start(5, "sleep 1000"));
  Reopen();
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137"));
  ASSERT_EQ(board_->Known().size(), 1u);
  EXPECT_EQ(board_->Known()[0].mark().number(), 5u);
  EXPECT_FALSE(board_->Known()[0].running());
  Take(Start(5, "sleep 1000"));
  Take(Start(6, "sleep 1000"));  // the same incarnation
  EXPECT_FALSE(board_->AnythingRuns());
}

TEST_F(TaskBoardTest, Environment_IsCleanAndTellsTheMemberWhoItIs) {
  setenv("SECRET_OF_THE_AGENT", "1", 1);
  const std::string out = folder_ + "/env";
  v1::Task task = Start(1, "env > " + out);
  task.mutable_start_members()->mutable_members(0)->set_pod_index(3);
  (*task.mutable_start_members()->mutable_env())["MINE"] = "a b=c";
  (*task.mutable_start_members()->mutable_env())["MUSTER_JOB_UID"] = "forged";
  Take(task);
  PumpUntilReports(1);
  const std::string env = "\n" + Contents(out);
  for (const char* line :
       {"\nMINE=a b=c\n", "\nMUSTER_JOB_UID=job-1\n", "\nMUSTER_JOB=default/demo\n", "\nMUSTER_POD_INDEX=3\n",
        "\nMUSTER_INCARNATION_ORDINAL=1\n", "\nMUSTER_NODE=n0\n", "\nMUSTER_ADDRESS=127.0.0.1\n",
        "\nMUSTER_SERVER=127.0.0.1:1\n", "/logs/job-1/3\n", "\nPATH="}) {
    EXPECT_THAT(env, HasSubstr(line));
  }
  EXPECT_EQ(env.find("SECRET_OF_THE_AGENT"), std::string::npos);
}

TEST_F(TaskBoardTest, Launch_IsRefusedWithoutTheOperatorsLeave) {
  setting_.node.set_allow_launch(false);
  Take(Start(1, "exit 0"));
  ASSERT_THAT(sink_.Lines(), ElementsAre("refused"));
  EXPECT_THAT(sink_.reports[0].refused().why(), HasSubstr("--allow-launch"));
  v1::Task again = Start(1, "exit 0");
  again.mutable_mark()->set_term(2);
  Take(again);
  EXPECT_THAT(sink_.Lines(), ElementsAre("refused", "refused"));
}

TEST_F(TaskBoardTest, OrdersThatCannotBeDone_AreRefusedWithTheReason) {
  v1::Task no_command = Start(1, "");
  no_command.mutable_start_members()->clear_command();
  Take(no_command);
  v1::Task bad_name = Start(2, "exit 0", 2);
  (*bad_name.mutable_start_members()->mutable_env())["A=B"] = "x";
  Take(bad_name);
  v1::Task relative = Start(3, "exit 0", 3);
  relative.mutable_start_members()->set_working_dir("here");
  Take(relative);
  v1::Task nowhere = Start(4, "exit 0", 4);
  nowhere.mutable_start_members()->set_working_dir("/no/such/folder");
  Take(nowhere);
  Take(TestOrder(5, absl::Seconds(5), "nccl"));
  Take(Order(6));  // no kind that is known
  EXPECT_THAT(sink_.Lines(), ElementsAre("refused", "refused", "refused", "refused", "refused", "refused"));
  const char* reasons[] = {"command", "A=B", "working_dir", "/no/such/folder", "nccl", "does not know"};
  for (int i = 0; i < 6; ++i) EXPECT_THAT(sink_.reports[i].refused().why(), HasSubstr(reasons[i]));
  Take(v1::Task());  // no mark at all
  EXPECT_EQ(board_->Known().size(), 1u);
}

TEST_F(TaskBoardTest, LedgerThatCannotBeWritten_StartIsNotTakenAndLeavesNoTrace) {
  BreakLedger();
  EXPECT_EQ(board_->Take(Start(1, "sleep 1000"), absl::Now()).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(board_->Known().empty());
  EXPECT_FALSE(board_->AnythingRuns());
  MendLedger();
  Take(Start(1, "exit 7"));
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 7"));
  // Of a job that is known, the order before still counts.
  BreakLedger();
  EXPECT_FALSE(board_->Take(Start(2, "sleep 1000", 2), absl::Now()).ok());
  ASSERT_EQ(board_->Known().size(), 1u);
  EXPECT_EQ(board_->Known()[0].mark().number(), 1u);
  EXPECT_FALSE(board_->AnythingRuns());
}

TEST_F(TaskBoardTest, LedgerThatCannotBeWritten_StopAndForgetNeedNone) {
  Take(Start(1, "exec sleep 1000"));
  BreakLedger();
  Take(StopOrder(2));
  PumpUntilReports(2);
  EXPECT_EQ(sink_.Lines().back(), "ended 2");
  v1::Task forget = Order(3);
  forget.mutable_forget();
  Take(forget);
  EXPECT_TRUE(board_->Known().empty());
  MendLedger();
  // Written as soon as it can be.
  PumpUntil([&] {
    Ledger ledger;
    return ledger.ParseFromString(Contents(setting_.data + "/ledger")) && ledger.jobs().empty();
  });
}

TEST_F(TaskBoardTest, RestartedAgentUnderALowerTerm_DropsOrdersOfHigherOnesWhenTheyHaveEnded) {
  v1::Task start = Start(5, "exec sleep 1000");
  start.mutable_mark()->set_term(7);
  Take(start);
  left_ = {1};
  Reopen();
  EXPECT_TRUE(board_->Begin(7, absl::Now()));
  ASSERT_EQ(board_->Known().size(), 1u);
  EXPECT_FALSE(board_->Begin(6, absl::Now())) << "something of it may still run";
  ASSERT_EQ(board_->Known().size(), 1u);
  left_ = {};
  PumpUntil([&] { return board_->Begin(6, absl::Now()); });
  EXPECT_TRUE(board_->Known().empty());
  Take(Start(3, "exit 0"));
  PumpUntil([&] { return !sink_.reports.empty() && sink_.reports.back().mark().number() == 3; });
}

TEST_F(TaskBoardTest, Forget_DropsWhatIsGoneAndKeepsWhatRuns) {
  Take(StopOrder(1));
  v1::Task forget = Order(2);
  forget.mutable_forget();
  Take(forget);
  EXPECT_TRUE(board_->Known().empty());
  Take(Start(3, "sleep 1000"));
  forget.mutable_mark()->set_number(4);
  Take(forget);
  ASSERT_EQ(board_->Known().size(), 1u);
  EXPECT_TRUE(board_->Known()[0].running());
}

}  // namespace
}  // namespace muster::agent
