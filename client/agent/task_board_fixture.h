#pragma once
// A task board over real processes, for the stories of its tests.

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
#include "client/agent/task_board.h"
#include "lib/base/proto_time.h"

namespace muster::agent {

inline std::string Runfile(const std::string& path) {
  char cwd[4096];
  return absl::StrCat(getcwd(cwd, sizeof(cwd)), "/", path);
}

inline std::string WriteProgram(const std::string& path, const std::string& text) {
  std::ofstream(path) << "#!/bin/sh\n" << text;
  chmod(path.c_str(), 0700);
  return path;
}

inline std::string Contents(const std::string& path) {
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
    setting_.may_be_left_of = [this](const Origin&) {
      ++looks_;
      return left_;
    };
    AdoptOrphans();
    Open();
  }

  void Open() {
    file_ = std::make_unique<LedgerFile>(LedgerFile::Open(setting_.data).value());
    children_ = std::make_unique<Children>(events_);
    board_ = std::make_unique<TaskBoard>(setting_, *file_, ++session_, *children_, sink_);
    board_->Recover(absl::Now());
  }

  // As after kill -9 of the agent and of its children, keepers among them.
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

  // A disk that takes nothing more, as the ledger sees it.
  void BreakLedger() { ASSERT_EQ(mkdir((setting_.data + "/ledger.new").c_str(), 0700), 0); }
  void MendLedger() { ASSERT_EQ(rmdir((setting_.data + "/ledger.new").c_str()), 0); }

  // What an earlier agent may have left, and how often that was asked.
  std::vector<pid_t> left_;
  int looks_ = 0;
  std::string folder_;
  int64_t session_ = 0;
  AgentSetting setting_;
  EventQueue events_;
  FakeReportSink sink_;
  std::unique_ptr<LedgerFile> file_;
  std::unique_ptr<Children> children_;
  std::unique_ptr<TaskBoard> board_;
};

}  // namespace muster::agent
