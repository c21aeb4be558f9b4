#pragma once
// One test order on this node: a child a worker, a deadline for all, and a report that is always complete.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/agent/agent_setting.h"
#include "client/agent/children.h"
#include "client/agent/report_sink.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::agent {

// MUSTER_TEST_OF=…: by this in its environment a child of the job's tests is known, as nobody else on the host has it.
std::string TestMark(const AgentSetting& setting, const std::string& job_uid);

// Belongs to the thread of its Children. Every step and worker of the order gets a result: the child's own, or an error
// that says what became of the child. The last report has `final` and goes out when all children have been seen ended.
class TestRun {
 public:
  // Starts the children. `mark` goes with each report.
  TestRun(const AgentSetting& setting, const v1::OrderMark& mark, const v1::RunTest& order, Children& children,
          ReportSink& sink, absl::Time now);

  bool Owns(ChildId child) const { return running_.count(child) > 0; }
  void Reported(ChildId child, v1::StepResult result, absl::Time now);
  // `wait_status` as waitpid has it.
  void Ended(ChildId child, int wait_status, absl::Time now);

  // When Tick is due; InfiniteFuture when all have ended.
  absl::Time NextDeadline() const { return running_.empty() ? absl::InfiniteFuture() : deadline_; }
  // Kills what is left at the deadline.
  void Tick(absl::Time now);
  // Kills all at once; `why` becomes the error of what is missing.
  void Kill(const std::string& why);

  bool done() const { return running_.empty(); }
  // Everything that was reported, for an order that is given again.
  void ReportAgain(const v1::OrderMark& mark, ReportSink& sink) const;

 private:
  struct Worker {
    v1::RunTest::Worker id;
    // Steps that it has a group in (step -> group index) and no result for.
    std::map<int32_t, int64_t> missing;
  };

  void StartWorker(const AgentSetting& setting, const v1::RunTest& order, const v1::RunTest::Worker& id,
                   Children& children);
  void FailMissing(Worker& worker, const std::string& why);
  void Add(v1::StepResult result);
  void Flush(bool final);
  void FinishIfDone();

  Children& children_;
  ReportSink& sink_;
  v1::OrderMark mark_;
  std::string test_id_;
  int32_t round_ = 0;
  std::map<std::string, std::string> facts_;
  absl::Time deadline_;
  absl::Time flushed_;
  std::string killed_because_;
  std::map<ChildId, Worker> running_;
  v1::TestReport pending_;
  size_t pending_bytes_ = 0;
  std::vector<v1::TestReport> sent_;
};

}  // namespace muster::agent
