// Ends: a stop, and a member, count only when everything is gone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "client/agent/task_board_fixture.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(TaskBoardTest, RestartedAgent_AnswersTheStopItOwes) {
  Take(Start(1, "sleep 1000"));
  Take(StopOrder(2));
  Reopen();
  PumpUntil([&] { return !sink_.reports.empty() && sink_.reports.back().has_ended(); });
  EXPECT_EQ(sink_.reports.back().mark().number(), 2u);
}

TEST_F(TaskBoardTest, Stop_IsAnsweredOnlyAfterASlowChildIsGone) {
  const std::string ready = folder_ + "/ready", gone = folder_ + "/gone";
  Take(Start(
      1, "trap 'sleep 0.3; echo x > " + gone + "; exit 9' TERM; echo x > " + ready + "; while :; do sleep 0.05; done"));
  PumpUntilFile(ready);
  Take(StopOrder(2));
  EXPECT_THAT(sink_.Lines(), IsEmpty());
  EXPECT_TRUE(board_->Known()[0].running());
  PumpUntilReports(2);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 9", "ended 2"));
  EXPECT_EQ(Contents(gone), "x\n");
  EXPECT_FALSE(board_->Known()[0].running());
}

TEST_F(TaskBoardTest, ChildThatIgnoresSigterm_IsKilledAfterTheGrace) {
  const std::string ready = folder_ + "/ready";
  Take(Start(1, "trap '' TERM; echo x > " + ready + "; while :; do sleep 0.05; done"));
  PumpUntilFile(ready);
  Take(StopOrder(2, absl::Milliseconds(200)));
  PumpUntilReports(2);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137", "ended 2"));
}

TEST_F(TaskBoardTest, DetachedGrandchild_IsGoneBeforeTheStopIsAnswered) {
  const std::string pid_file = folder_ + "/pid";
  Take(Start(1, "setsid sh -c 'trap \"\" TERM; echo $$ > " + pid_file + "; while :; do sleep 0.05; done' & wait"));
  PumpUntilFile(pid_file);
  const pid_t pid = std::atoi(Contents(pid_file).c_str());
  ASSERT_EQ(kill(pid, 0), 0);
  Take(StopOrder(2, absl::Milliseconds(300)));
  PumpUntilReports(2);
  EXPECT_EQ(sink_.Lines().back(), "ended 2");
  EXPECT_NE(kill(pid, 0), 0);
}

// A command whose shell ignores SIGTERM and has a child in a session of its own, which writes its pid to `pid_file`.
std::string Clinging(const std::string& pid_file) {
  return "trap '' TERM; setsid sh -c 'echo $$ > " + pid_file + "; while :; do sleep 0.05; done' & wait";
}

TEST_F(TaskBoardTest, KilledKeeper_MemberEndsOnlyWhenWhatItLeftIsGone) {
  const std::string pid_file = folder_ + "/pid";
  Take(Start(1, Clinging(pid_file)));
  PumpUntilFile(pid_file);
  const pid_t left = std::atoi(Contents(pid_file).c_str());
  const std::vector<pid_t> marked = StartedWith(MemberMark(setting_, "job-1", 0));
  ASSERT_THAT(marked, testing::Contains(left));
  for (const pid_t pid : marked) {
    if (pid != left) kill(pid, SIGKILL);  // the keeper, and what it started
  }
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137"));
  EXPECT_NE(kill(left, 0), 0) << "still there";
  EXPECT_FALSE(board_->AnythingRuns());
}

TEST_F(TaskBoardTest, KilledKeeper_StopIsAnsweredWhenWhatItLeftIsGone) {
  const std::string pid_file = folder_ + "/pid";
  Take(Start(1, Clinging(pid_file)));
  PumpUntilFile(pid_file);
  const pid_t left = std::atoi(Contents(pid_file).c_str());
  Take(StopOrder(2, absl::Hours(1)));
  for (const pid_t pid : StartedWith(MemberMark(setting_, "job-1", 0))) {
    if (pid != left) kill(pid, SIGKILL);
  }
  EXPECT_TRUE(board_->Known()[0].running());
  PumpUntilReports(2);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137", "ended 2"));
  EXPECT_NE(kill(left, 0), 0) << "still there";
}

// As if agent and keeper were killed at once: nobody's child any more, and no record of its pid.
TEST_F(TaskBoardTest, RestartedAgent_EndsWhatAKilledKeeperLeft) {
  const std::string pid_file = folder_ + "/pid";
  Take(Start(1, "exec sleep 1000"));
  Reopen();
  PumpUntilReports(1);
  ProcessSpec orphan;
  orphan.program = "/bin/sh";
  orphan.args = {"-c", "echo $$ > " + pid_file + "; exec sleep 1000"};
  orphan.env = {"PATH=/usr/bin:/bin", MemberMark(setting_, "job-1", 0)};
  Take(Start(2, "exec sleep 1000", 2));
  const pid_t left = Spawn(orphan).value();
  PumpUntilFile(pid_file);
  Reopen();
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137"));
  EXPECT_NE(kill(left, 0), 0) << "still there";
}

TEST_F(TaskBoardTest, AgentAndKeeperKilled_NothingCountsAsEndedWhileSomethingMayBeLeft) {
  Take(Start(1, "exec sleep 1000"));
  left_ = {1};  // not ours to kill
  Reopen();
  Take(StopOrder(2));
  PumpUntil([&] { return looks_ >= 2; });
  EXPECT_THAT(sink_.Lines(), IsEmpty());
  ASSERT_EQ(board_->Known().size(), 1u);
  EXPECT_TRUE(board_->Known()[0].running());
  // Also the agent after that one does not know better.
  Reopen();
  EXPECT_TRUE(board_->Known()[0].running());
  left_ = {};
  PumpUntilReports(2);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137", "ended 2"));
  EXPECT_FALSE(board_->Known()[0].running());
}

TEST_F(TaskBoardTest, KeeperThatSawEverythingEnd_IsBelievedByTheNextAgent) {
  Take(Start(1, "exec sleep 1000"));
  left_ = {1};
  // What the keeper does last, here before it is killed.
  ASSERT_EQ(unlink(RunningFile(setting_, "job-1", 0).c_str()), 0);
  Reopen();
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 137"));
  EXPECT_EQ(looks_, 0);
}

TEST_F(TaskBoardTest, Keeper_RemovesItsFileWhenEverythingHasEnded) {
  const std::string file = folder_ + "/running";
  ASSERT_TRUE(std::ofstream(file).good());
  ProcessSpec keep;
  keep.program = setting_.agent_program;
  keep.args = {"keep", "--parent", absl::StrCat(getpid()), "--running", file, "--", "/bin/sh", "-c", "exit 7"};
  const pid_t keeper = Spawn(keep).value();
  int status = 0;
  ASSERT_EQ(waitpid(keeper, &status, 0), keeper);
  EXPECT_EQ(ExitCode(status), 7);
  EXPECT_FALSE(std::ifstream(file).good());
}

// The shell dies of SIGTERM, and what it waits for with it: nobody sits out a grace that nobody uses.
TEST_F(TaskBoardTest, StopOfAShellThatSleeps_DoesNotWaitForTheGrace) {
  const std::string ready = folder_ + "/ready";
  Take(Start(1, "echo x > " + ready + "; sleep 1000; echo more"));
  PumpUntilFile(ready);
  Take(StopOrder(2, absl::Hours(1)));
  PumpUntilReports(2);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 143", "ended 2"));
}

TEST_F(TaskBoardTest, StopOfNothing_IsAnsweredAtOnceAndAgain) {
  Take(StopOrder(3));
  v1::Task again = StopOrder(3);
  again.mutable_mark()->set_term(9);
  Take(again);
  EXPECT_THAT(sink_.Lines(), ElementsAre("ended 3", "ended 3"));
  EXPECT_EQ(sink_.reports[1].mark().term(), 9u);
}

}  // namespace
}  // namespace muster::agent
