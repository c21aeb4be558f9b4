#include "client/agent/test_run.h"

#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/agent/process.h"
#include "client/agent/test_child.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/group_ranks.h"

namespace muster::agent {
namespace {

// A report stays far below gRPC's 4 MiB, and progress is seen while a test runs.
constexpr size_t kReportBytes = 256 << 10;
constexpr absl::Duration kReportEvery = absl::Milliseconds(500);
constexpr absl::Duration kLongest = absl::Hours(2);

std::string HowItEnded(int wait_status) {
  const int code = ExitCode(wait_status);
  if (code > 128) return absl::StrCat("the test's process was ended by signal ", code - 128);
  return absl::StrCat("the test's process exited with code ", code);
}

// What libraries of the test may need from the agent's own environment.
std::vector<std::string> ChildEnvironment() {
  std::vector<std::string> env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
  for (const char* name : {"HOME", "LANG", "LD_LIBRARY_PATH", "GRPC_VERBOSITY"}) {
    if (const char* value = std::getenv(name)) env.push_back(absl::StrCat(name, "=", value));
  }
  return env;
}

std::map<std::string, std::string> FactsOf(const AgentSetting& setting, const std::string& backend) {
  std::map<std::string, std::string> facts = {{"backend", backend}, {"address", setting.node.address()}};
  utsname system;
  if (uname(&system) == 0) facts["kernel"] = system.release;
  if (backend == "gloo") facts["backend_version"] = "libgloo.so.0 (Debian 0.0~git20220518)";
  return facts;
}

}  // namespace

std::string TestMark(const AgentSetting& setting, const std::string& job_uid) {
  return absl::StrCat("MUSTER_TEST_OF=", setting.data, "/", job_uid);
}

TestRun::TestRun(const AgentSetting& setting, const v1::OrderMark& mark, const v1::RunTest& order, Children& children,
                 ReportSink& sink, absl::Time now)
    : children_(children),
      sink_(sink),
      mark_(mark),
      test_id_(order.plan().test_id()),
      round_(order.plan().round()),
      facts_(FactsOf(setting, order.plan().backend())),
      flushed_(now) {
  deadline_ = now + std::clamp(FromProto(order.plan().deadline()), absl::ZeroDuration(), kLongest);
  for (const v1::RunTest::Worker& worker : order.workers()) StartWorker(setting, order, worker, children);
  FinishIfDone();
}

void TestRun::StartWorker(const AgentSetting& setting, const v1::RunTest& order, const v1::RunTest::Worker& id,
                          Children& children) {
  Worker worker{id, {}};
  ChildOrder child;
  *child.mutable_plan() = order.plan();
  child.mutable_plan()->clear_steps();
  for (const v1::TestStep& step : order.plan().steps()) {
    for (const v1::TestGroup& group : step.groups()) {
      const auto members = selftest::MembersOf(group.ranks());
      if (!members.ok() || std::find(members->begin(), members->end(), id.global_rank()) == members->end()) continue;
      worker.missing[step.index()] = group.index();
      v1::TestStep& mine = *child.mutable_plan()->add_steps();
      mine = step;
      mine.clear_groups();
      *mine.add_groups() = group;
      break;
    }
  }
  *child.mutable_worker() = id;
  child.set_server(setting.server);
  child.set_address(setting.node.address());
  child.set_node(setting.node.name());
  *child.mutable_faults() = setting.faults;
  ProcessSpec spec;
  spec.program = setting.agent_program;
  spec.args = {"test-child", "--parent", absl::StrCat(getpid())};
  spec.env = ChildEnvironment();
  spec.env.push_back(TestMark(setting, mark_.job_uid()));
  spec.err = STDERR_FILENO;
  const auto started = children.Start(std::move(spec), child.SerializeAsString(), /*results=*/true);
  if (started.ok()) {
    running_[*started] = std::move(worker);
  } else {
    FailMissing(worker, std::string(started.status().message()));
  }
}

void TestRun::Reported(ChildId child, v1::StepResult result, absl::Time now) {
  const auto at = running_.find(child);
  if (at == running_.end()) return;
  // A child speaks for its own worker and each of its steps once; anything else is a broken child's.
  if (result.global_rank() != at->second.id.global_rank() || at->second.missing.erase(result.step()) == 0) return;
  Add(std::move(result));
  if (now - flushed_ >= kReportEvery) {
    flushed_ = now;
    Flush(/*final=*/false);
  }
}

void TestRun::Ended(ChildId child, int wait_status, absl::Time) {
  const auto at = running_.find(child);
  if (at == running_.end()) return;
  FailMissing(at->second, killed_because_.empty() ? HowItEnded(wait_status) : killed_because_);
  running_.erase(at);
  FinishIfDone();
}

void TestRun::Tick(absl::Time now) {
  if (done() || now < deadline_) return;
  Kill("no result within the test's deadline; the process was killed");
}

void TestRun::Kill(const std::string& why) {
  if (killed_because_.empty()) killed_because_ = why;
  for (const auto& [child, worker] : running_) children_.Signal(child, SIGKILL);
  deadline_ = absl::InfiniteFuture();
}

void TestRun::ReportAgain(const v1::OrderMark& mark, ReportSink& sink) const {
  for (const v1::TestReport& test : sent_) {
    v1::ReportTaskRequest report;
    *report.mutable_mark() = mark;
    *report.mutable_test() = test;
    sink.Send(std::move(report));
  }
}

void TestRun::FailMissing(Worker& worker, const std::string& why) {
  for (const auto& [step, group] : worker.missing) {
    v1::StepResult result;
    result.set_step(step);
    result.set_global_rank(worker.id.global_rank());
    result.set_group_index(group);
    result.set_error(why);
    Add(std::move(result));
  }
  worker.missing.clear();
}

void TestRun::Add(v1::StepResult result) {
  pending_bytes_ += result.ByteSizeLong();
  *pending_.add_results() = std::move(result);
  if (pending_bytes_ >= kReportBytes) Flush(/*final=*/false);
}

void TestRun::Flush(bool final) {
  if (pending_.results().empty() && !final) return;
  pending_.set_test_id(test_id_);
  pending_.set_round(round_);
  pending_.set_final(final);
  if (final) pending_.mutable_facts()->insert(facts_.begin(), facts_.end());
  sent_.push_back(std::move(pending_));
  pending_.Clear();
  pending_bytes_ = 0;
  v1::ReportTaskRequest report;
  *report.mutable_mark() = mark_;
  *report.mutable_test() = sent_.back();
  sink_.Send(std::move(report));
}

void TestRun::FinishIfDone() {
  if (done()) Flush(/*final=*/true);
}

}  // namespace muster::agent
