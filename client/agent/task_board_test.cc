#include "client/agent/task_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/agent/fake_report_sink.h"
#include "client/agent/member_command.h"
#include "client/agent/process.h"
#include "client/agent/process_tree.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

std::string Runfile(const std::string& path) {
  char cwd[4096];
  return absl::StrCat(getcwd(cwd, sizeof(cwd)), "/", path);
}

std::string WriteProgram(const std::string& path, const std::string& text) {
  std::ofstream(path) << "#!/bin/sh\n" << text;
  chmod(path.c_str(), 0700);
  return path;
}

std::string Contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A board over real processes; what `muster exec` would run is run directly.
class TaskBoardTest : public testing::Test {
 protected:
  TaskBoardTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = absl::StrCat(testing::TempDir(), "/", info->name(), getpid());
    mkdir(folder_.c_str(), 0700);
    setting_.server = "127.0.0.1:1";  // nobody: a test's child waits there until its deadline
    setting_.data = folder_ + "/data";
    setting_.agent_program = Runfile("client/agent/muster-agent");
    setting_.muster_program =
        WriteProgram(folder_ + "/muster", "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n");
    setting_.node.set_name("n0");
    setting_.node.set_address("127.0.0.1");
    setting_.node.set_allow_launch(true);
    AdoptOrphans();
    Open();
  }

  void Open() {
    file_ = std::make_unique<LedgerFile>(LedgerFile::Open(setting_.data).value());
    children_ = std::make_unique<Children>(events_);
    board_ = std::make_unique<TaskBoard>(setting_, *file_, ++session_, *children_, sink_);
    ASSERT_TRUE(board_->Recover(absl::Now()).ok());
  }

  // As after kill -9 of the agent, whose children die with it.
  void Reopen() {
    board_ = nullptr;
    children_ = nullptr;
    // Of children that nobody knows any more.
    while (events_.Take(absl::InfinitePast())) {
    }
    file_ = nullptr;
    sink_.reports.clear();
    Open();
  }

  static v1::Task Order(uint64_t number, uint64_t term = 1) {
    v1::Task task;
    task.mutable_mark()->set_job_uid("job-1");
    task.mutable_mark()->set_term(term);
    task.mutable_mark()->set_number(number);
    task.set_job("default/demo");
    return task;
  }

  static v1::Task Start(uint64_t number, const std::string& script, int64_t ordinal = 1) {
    v1::Task task = Order(number);
    v1::StartMembers::Member* member = task.mutable_start_members()->add_members();
    member->mutable_incarnation()->set_ordinal(ordinal);
    for (const char* word : {"/bin/sh", "-c"}) task.mutable_start_members()->add_command(word);
    task.mutable_start_members()->add_command(script);
    return task;
  }

  static v1::Task StopOrder(uint64_t number, absl::Duration grace = absl::Seconds(20)) {
    v1::Task task = Order(number);
    *task.mutable_stop()->mutable_grace() = ToProto(grace);
    return task;
  }

  static v1::Task TestOrder(uint64_t number, absl::Duration deadline, const std::string& backend = "simulated") {
    v1::Task task = Order(number);
    v1::TestPlan* plan = task.mutable_run_test()->mutable_plan();
    plan->set_test_id("test-1");
    plan->set_round(1);
    plan->set_backend(backend);
    *plan->mutable_deadline() = ToProto(deadline);
    for (int i = 0; i < 2; ++i) {
      v1::TestStep* step = plan->add_steps();
      step->set_index(i);
      step->set_family("tp");
      step->set_collective(v1::ALL_REDUCE);
      step->set_bytes(1024);
      step->set_iterations(2);
      *step->mutable_deadline() = ToProto(deadline);
      v1::TestGroup* group = step->add_groups();
      group->mutable_ranks()->add_strides(1);
      group->mutable_ranks()->add_sizes(2);
    }
    for (int i = 0; i < 2; ++i) {
      v1::RunTest::Worker* worker = task.mutable_run_test()->add_workers();
      worker->set_global_rank(i);
      worker->set_local_rank(i);
    }
    return task;
  }

  void Take(const v1::Task& task) { ASSERT_TRUE(board_->Take(task, absl::Now()).ok()); }

  // Lets things happen until `done`.
  void PumpUntil(const std::function<bool()>& done) {
    const absl::Time give_up = absl::Now() + absl::Seconds(30);
    while (!done()) {
      ASSERT_LT(absl::Now(), give_up) << absl::StrCat("only: ", testing::PrintToString(sink_.Lines()));
      auto event = events_.Take(std::min(board_->NextDeadline(absl::Now()), absl::Now() + absl::Milliseconds(20)));
      if (event && std::holds_alternative<ChildReported>(*event)) {
        auto& report = std::get<ChildReported>(*event);
        board_->Reported(report.child, report.result, absl::Now());
      } else if (event && std::holds_alternative<ChildEnded>(*event)) {
        const ChildId child = std::get<ChildEnded>(*event).child;
        board_->Ended(child, children_->Reap(child), absl::Now());
      }
      board_->Tick(absl::Now());
    }
  }

  void PumpUntilReports(size_t count) {
    PumpUntil([&] { return sink_.reports.size() >= count; });
  }

  void PumpUntilFile(const std::string& path) {
    PumpUntil([&] { return !Contents(path).empty(); });
  }

  std::string folder_;
  int64_t session_ = 0;
  AgentSetting setting_;
  EventQueue events_;
  FakeReportSink sink_;
  std::unique_ptr<LedgerFile> file_;
  std::unique_ptr<Children> children_;
  std::unique_ptr<TaskBoard> board_;
};

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

TEST_F(TaskBoardTest, RestartedAgent_AnswersTheStopItOwes) {
  Take(Start(1, "sleep 1000"));
  Take(StopOrder(2));
  Reopen();
  PumpUntil([&] { return !sink_.reports.empty() && sink_.reports.back().has_ended(); });
  EXPECT_EQ(sink_.reports.back().mark().number(), 2u);
}

TEST_F(TaskBoardTest, RestartedAgent_ReportsALostTestAsFinalWithoutResults) {
  Take(TestOrder(4, absl::Seconds(30)));
  Reopen();
  ASSERT_THAT(sink_.Lines(), ElementsAre("test final"));
  EXPECT_EQ(sink_.reports[0].test().test_id(), "test-1");
  EXPECT_TRUE(sink_.Results().empty());
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
