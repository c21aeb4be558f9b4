#pragma once
// All orders that this node has taken: each once, none from the past, and what became of them.
//
// An order that starts something counts as taken when its mark is on disk; only then anything is started. What only
// ends needs no disk: should its mark be lost with the agent, the next one ends the same things again and is told
// again. Of a job, only the highest order acts: a Stop ends what earlier ones started and is answered with its own mark
// when nothing of the job runs here any more; a Forget likewise, and then the job's mark is dropped. The same number
// under a higher term is the same order: it is answered again, never done again.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/agent/agent_setting.h"
#include "client/agent/children.h"
#include "client/agent/ledger_file.h"
#include "client/agent/members.h"
#include "client/agent/report_sink.h"
#include "client/agent/test_run.h"
#include "proto/muster/v1/agent_service.pb.h"

namespace muster::agent {

// Belongs to the thread of its Children. References must outlive it.
class TaskBoard {
 public:
  // `session_ordinal`: of this start of the agent; kept in the ledger.
  TaskBoard(const AgentSetting& setting, LedgerFile& file, int64_t session_ordinal, Children& children,
            ReportSink& sink);

  // What an earlier agent left is known (see Known) and, where an order of it is unanswered, answered: a test without
  // results, members killed, a stop when it is true. Call once, before anything else.
  void Recover(absl::Time now);

  // Before the first registration of this agent, as often as it takes. Orders of higher terms are of a coordinator
  // whose data was restored or begun anew: none of them counts any more. True: all are dropped; false: something of
  // them still ends here.
  bool Begin(uint64_t term, absl::Time now);

  // INTERNAL: the mark can't be made durable; the order is not taken, and the server will give it again.
  // RESOURCE_EXHAUSTED: too many jobs are held.
  absl::Status Take(const v1::Task& task, absl::Time now);
  void Reported(ChildId child, v1::StepResult result, absl::Time now);
  void Ended(ChildId child, int wait_status, absl::Time now);
  void Tick(absl::Time now);
  absl::Time NextDeadline(absl::Time now) const;

  // For Register and NextTask.
  std::vector<v1::RegisterRequest::Known> Known() const;

  // The agent itself stops: everything ends, SIGTERM first for members.
  void EndAll(absl::Time now);
  bool AnythingRuns() const;

 private:
  struct Job {
    JobRecord record;
    std::unique_ptr<TestRun> test;
    std::unique_ptr<Members> members;
    // An order taken while something older still ends; acts when that is gone.
    std::unique_ptr<v1::Task> waiting;
    // Children of a test by an agent before this one may live; its report is owed.
    bool lost_test = false;
    // A stop that is not answered yet.
    bool stopping = false;
    // Why the order was refused; empty: it wasn't.
    std::string refused;

    bool Running() const {
      return lost_test || (test != nullptr && !test->done()) || (members != nullptr && members->Running());
    }
  };

  Job& JobOf(const v1::Task& task);
  void Act(Job& job, const v1::Task& task, absl::Time now);
  void StartTest(Job& job, const v1::Task& task, absl::Time now);
  void StartMembers(Job& job, const v1::Task& task, absl::Time now);
  void AnswerAgain(Job& job);
  // Reports ends, answers a stop that is now true, lets a waiting order act.
  void Settle(Job& job, absl::Time now);
  void Refuse(Job& job, const std::string& why);
  // The order's test did not outlive the agent: its results are missing for good.
  void ReportLostTest(const Job& job);
  void SendEnds(const Job& job, const std::vector<v1::MemberEnded>& ends);
  void Send(const Job& job, v1::ReportTaskRequest report);
  // Brings the job's record up to what its members are.
  void Record(Job& job) const;
  absl::Status Save(absl::Time now);
  // What need not be durable at once: tried again until it is.
  void SaveSoon(absl::Time now);

  const AgentSetting& setting_;
  LedgerFile& file_;
  Children& children_;
  ReportSink& sink_;
  Ledger ledger_;
  // The file is behind what is here; tried again then.
  absl::Time save_at_ = absl::InfiniteFuture();
  std::map<std::string, Job> jobs_;
};

}  // namespace muster::agent
