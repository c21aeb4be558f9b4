// Tests: whatever becomes of a test's children, the order is answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "client/agent/task_board_fixture.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

TEST_F(TaskBoardTest, RestartedAgent_ReportsALostTestAsFinalWithoutResults) {
  Take(TestOrder(4, absl::Seconds(30)));
  Reopen();
  ASSERT_THAT(sink_.Lines(), ElementsAre("test final"));
  EXPECT_EQ(sink_.reports[0].test().test_id(), "test-1");
  EXPECT_TRUE(sink_.Results().empty());
}

TEST_F(TaskBoardTest, RestartedAgent_ReportsALostTestWhenItsChildrenAreGone) {
  Take(TestOrder(4, absl::Seconds(30)));
  ProcessSpec child;
  child.program = "/bin/sleep";
  child.args = {"1000"};
  child.env = {"PATH=/usr/bin:/bin", TestMark(setting_, "job-1")};
  board_ = nullptr;
  children_ = nullptr;  // and with it what it knows of
  const pid_t left = Spawn(child).value();
  Reopen();
  EXPECT_THAT(sink_.Lines(), IsEmpty());
  EXPECT_TRUE(board_->Known()[0].running());
  Take(Start(5, "exit 0"));
  EXPECT_EQ(waitpid(left, nullptr, 0), left);
  PumpUntilReports(1);
  EXPECT_THAT(sink_.Lines(), ElementsAre("member 0 code 0")) << "the later order's";
}

TEST_F(TaskBoardTest, CrashingTestChild_GivesAnErrorForEveryStep) {
  setting_.agent_program = WriteProgram(folder_ + "/crash", "kill -SEGV $$\n");
  Take(TestOrder(1, absl::Seconds(30)));
  PumpUntil([&] { return !board_->AnythingRuns(); });
  EXPECT_EQ(sink_.Lines().back(), "test final");
  const auto results = sink_.Results();
  ASSERT_EQ(results.size(), 4u);
  for (const v1::StepResult& r : results) EXPECT_THAT(r.error(), HasSubstr("signal 11"));
  EXPECT_FALSE(sink_.reports.back().test().facts().empty());
}

TEST_F(TaskBoardTest, TestChildThatTalksNonsense_GivesErrorsToo) {
  setting_.agent_program = WriteProgram(folder_ + "/babble", "echo no protobuf at all >&3; exit 0\n");
  Take(TestOrder(1, absl::Seconds(30)));
  PumpUntil([&] { return !board_->AnythingRuns(); });
  ASSERT_EQ(sink_.Results().size(), 4u);
  EXPECT_THAT(sink_.Results()[0].error(), HasSubstr("code 0"));
}

TEST_F(TaskBoardTest, HangingTestChild_IsKilledAtTheDeadline) {
  setting_.agent_program = WriteProgram(folder_ + "/hang", "trap '' TERM; while :; do sleep 0.05; done\n");
  Take(TestOrder(1, absl::Milliseconds(300)));
  PumpUntil([&] { return !board_->AnythingRuns(); });
  ASSERT_EQ(sink_.Results().size(), 4u);
  EXPECT_THAT(sink_.Results()[0].error(), HasSubstr("deadline"));
  EXPECT_EQ(children_->size(), 0u);
}

TEST_F(TaskBoardTest, MissingProgram_GivesErrorsAtOnce) {
  setting_.agent_program = "/no/such/program";
  Take(TestOrder(1, absl::Seconds(30)));
  EXPECT_THAT(sink_.Lines(), ElementsAre("test final"));
  EXPECT_THAT(sink_.Results()[0].error(), HasSubstr("/no/such/program"));
}

TEST_F(TaskBoardTest, StopDuringATest_EndsItsChildrenFirst) {
  setting_.agent_program = WriteProgram(folder_ + "/hang", "while :; do sleep 0.05; done\n");
  Take(TestOrder(1, absl::Minutes(5)));
  EXPECT_TRUE(board_->Known()[0].running());
  Take(StopOrder(2));
  PumpUntil([&] { return !sink_.reports.empty() && sink_.reports.back().has_ended(); });
  EXPECT_EQ(sink_.Lines(), (Lines{"test final", "ended 2"}));
}

TEST_F(TaskBoardTest, RepeatedTestOrder_IsReportedAgainAndNotRunAgain) {
  setting_.agent_program = WriteProgram(folder_ + "/crash", "echo x >> " + folder_ + "/ran; exit 4\n");
  Take(TestOrder(1, absl::Seconds(30)));
  PumpUntil([&] { return !board_->AnythingRuns(); });
  const auto once = sink_.Results().size();
  v1::Task again = TestOrder(1, absl::Seconds(30));
  again.mutable_mark()->set_term(2);
  Take(again);
  EXPECT_FALSE(board_->AnythingRuns());
  EXPECT_EQ(sink_.Results().size(), 2 * once);
  EXPECT_EQ(sink_.reports.back().mark().term(), 2u);
  EXPECT_EQ(Contents(folder_ + "/ran"), "x\nx\n");
}

}  // namespace
}  // namespace muster::agent
