#pragma once
// The coordinator's state and how it moves. Everything here runs on the loop, turn by turn:
//
//   events step gangs (lib/gang), which changes tables and marks what must be kept
//   -> EndTurn: the engine places what can be placed; everything that changed becomes one batch, one commit
//   -> the loop stands still until the batch is durable, so what is in memory between turns is always durable, too
//   -> Tell: waiters are answered, orders handed out, streams fed, deadlines set: from the committed state alone
//
// If the commit fails, nothing is told. The core is degraded: calls are refused with UNAVAILABLE and the store's
// reason, and the same batch is tried again until it is taken. What is durable can be read as before: released answers,
// and jobs and nodes, those of the failed turn as the store has them.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/answer.h"
#include "lib/gang/event.h"
#include "lib/gang/step.h"
#include "lib/selftest/receipt.h"
#include "lib/selftest/rounds.h"
#include "server/core/agent_sessions.h"
#include "server/core/clock.h"
#include "server/core/deadline_wheel.h"
#include "server/core/engine.h"
#include "server/core/id_maker.h"
#include "server/core/job_table.h"
#include "server/core/job_watchers.h"
#include "server/core/metrics.h"
#include "server/core/node_table.h"
#include "server/core/options.h"
#include "server/core/rank_call.h"
#include "server/core/receipts.h"
#include "server/core/test_runner.h"
#include "server/store/store.h"

namespace muster::core {

class KeyValues;
class Loop;
class ReleasedTable;

class Core {
 public:
  Core(const Clock& clock, Loop& loop, store::Store& store, Metrics& metrics, KeyValues& key_values,
       ReleasedTable& released, Tiers tiers, Options options);

  // Before the loop runs: everything from the store, and what follows from it. DATA_LOSS: a damaged record.
  absl::Status Recover();

  // The loop's hooks.
  void EndTurn();
  void OnAlarm();

  // OK, or UNAVAILABLE: the store fails; how calls are refused then.
  absl::Status healthy() const { return failure_; }

  // --- for the calls (job_calls.h and its kin) ---
  absl::Time now() const { return clock_.Now(); }
  const Options& options() const { return options_; }
  Term term() const { return store_.term(); }
  JobTable& jobs() { return jobs_; }
  NodeTable& nodes() { return nodes_; }
  Receipts& receipts() { return receipts_; }
  TestRunner& tests() { return tests_; }
  AgentSessions& sessions() { return sessions_; }
  HeldCalls<RankCall>& rank_calls() { return rank_calls_; }
  HeldCalls<WatchCall>& watch_calls() { return watch_calls_; }
  JobWatchers& watchers() { return watchers_; }
  IdMaker& ids() { return ids_; }
  Metrics& metrics() { return metrics_; }
  placement::Cluster ClusterNow() { return engine_.ClusterOf(nodes_, jobs_); }

  // A new job: `job` has its gang. Durable with this turn.
  Job& AddJob(std::unique_ptr<Job> job);
  // Steps the job, and whatever follows from that for nodes and other jobs.
  void Apply(Job& job, gang::Event event);
  // The node's record changed; `placing`: in a way that may let jobs start.
  void NodeChanged(NodeEntry& node, bool placing);
  // Quarantines the node and tells the jobs that have it.
  void Quarantine(NodeEntry& node, const std::string& reason, absl::Time until, const std::string& set_by,
                  const std::string& stop_of);
  void ReadmitNode(NodeEntry& node);
  // The agent was heard: its lease begins anew.
  void NodeHeard(NodeEntry& node);
  // A member was heard: its lease begins anew.
  void MemberHeard(Job& job, PodIndex index, const gang::Incarnation& incarnation);
  // A GetRank call of this member has ended without an answer.
  void RankCallEnded(const RankCall& call);
  // A call has come, or comes again: it is looked at after this turn's commit.
  void RankCallCame(JobKey job, const gang::Caller& caller);
  void AnswerRankCall(RankCall& call, const gang::Answer& answer);
  v1::WatchGangResponse WatchResponse(const gang::Watch& watch) const;
  // What an agent on `node` that has seen this is still to be given.
  std::vector<v1::Task> TasksFor(const NodeUid& node, const std::map<std::string, uint64_t>& seen);
  // If the running round of the job's test has ended: the next round, or the verdict.
  void LookAtTest(Job& job);
  store::Batch& batch() { return batch_; }

  // Runs when this turn is durable, with OK, or with why it isn't.
  void AfterCommit(absl::AnyInvocable<void(const absl::Status&)> reply) { replies_.push_back(std::move(reply)); }
  // Runs when this turn is durable or has failed, with OK (UNAVAILABLE: the end has come). Shows DurableView()s and
  // nothing else.
  void Read(absl::AnyInvocable<void(const absl::Status&)> read) { reads_.push_back(std::move(read)); }
  // The log has this line when this turn is durable.
  void SayWhenDurable(std::string line, bool warning = false) { lines_.emplace_back(std::move(line), warning); }

  // `brief`: without placement and members.
  v1::Job View(const Job& job, bool brief = false) const;
  // As the store has it; nullopt: it doesn't.
  std::optional<v1::Job> DurableView(const Job& job, bool brief = false) const;
  std::optional<v1::Node> DurableView(const NodeEntry& node);
  // Whether the job is among what could not be made durable.
  bool Unsettled(const Job& job) const { return stored_jobs_.count(job.key()) > 0; }
  v1::NotReady NotReadyOf(const Job& job) const;
  v1::Node View(const NodeEntry& node);
  void SetEnvelope(v1::Envelope* envelope, bool retry) const;

  // Answers every held call with UNAVAILABLE; for the end.
  void ShutDown();

 private:
  // What must be told of a job after the commit.
  struct News {
    bool durable = false;
    bool demands = false;
    bool moved = false;  // to another phase
    bool wake_all = false;
    bool queue = false;  // another place in the queue, or another reason to wait there
    std::set<PodIndex> wake;
  };

  // --- core.cc: deciding, stepping, committing ---
  // Plans and places what wants it; whether any job was stepped.
  bool Decide();
  void StepOne(Job& job, const gang::Event& event);
  void StateMoved(Job& job);
  void HoldsMoved(Job& job);
  void BeginRound(Job& job, const gang::Testing& testing);
  void TellRestored(const NodeEntry& node);
  void WriteJob(Job& job);
  void PruneFinished();
  void Commit();
  void Committed(const absl::Status& status);

  // --- core_conclude.cc ---
  selftest::ReceiptIdentity IdentityOf(const Job& job, const v1::Placement& placement, const TestRun* run);
  void Conclude(Job& job, const TestId& test, const selftest::Conclusion& conclusion);
  void Waive(Job& job);

  // --- core_tell.cc ---
  void Tell();
  void TellJob(Job& job, const News& news);
  void WakeRankCalls(Job& job, const News& news);
  void WakeWatchCalls(Job& job, const std::vector<CallId>& ids);
  void AnswerPoll(const NodeUid& node);
  void ReportLevels();

  // --- core_read.cc ---
  // What the failed turn has changed, as the store has it.
  void KeepStored();
  void RunReads(const absl::Status& status = absl::OkStatus());

  // --- core_timers.cc ---
  void SetAlarm();
  void BeginLease(NodeEntry& node);
  // Nobody could be heard while the store failed.
  void BeginLeasesAnew();
  void BeginLeases(const Job& job, const gang::Released& released);
  void LookAtDeadlines();
  void LookAtPolls();
  void LookAtHangUps();
  void LookAtMemberLeases();
  void LookAtAgents();
  void LookAtTests();
  void LookAtQuarantines();

  // --- core_recover.cc ---
  absl::Status RecoverNodes();
  absl::Status RecoverJobs();
  absl::Status RecoverTests();
  absl::Status RecoverKeyValues();

  // Levels are reported no more often than this.
  static constexpr absl::Duration kReportEvery = absl::Seconds(1);

  const Clock& clock_;
  Loop& loop_;
  store::Store& store_;
  Metrics& metrics_;
  KeyValues& key_values_;
  ReleasedTable& released_;
  const Options options_;
  IdMaker ids_;

  JobTable jobs_;
  NodeTable nodes_;
  Receipts receipts_;
  TestRunner tests_;
  AgentSessions sessions_;
  HeldCalls<RankCall> rank_calls_;
  HeldCalls<WatchCall> watch_calls_;
  JobWatchers watchers_;
  Engine engine_;

  // --- this turn ---
  std::vector<std::pair<JobKey, gang::Event>> cascade_;
  bool stepping_ = false;
  std::set<JobKey> dirty_jobs_;
  std::set<NodeUid> dirty_nodes_;
  store::Batch batch_;
  std::map<JobKey, News> news_;
  std::vector<absl::AnyInvocable<void(const absl::Status&)>> replies_;
  std::vector<absl::AnyInvocable<void(const absl::Status&)>> reads_;
  std::vector<std::pair<std::string, bool>> lines_;
  bool place_ = true;
  // Of the tests that this turn plans.
  std::map<TestId, selftest::Setting> settings_;

  // --- between turns ---
  bool committing_ = false;
  absl::Time commit_began_;
  absl::Status failure_;
  // What is being committed, or failed and is tried again at retry_.
  std::shared_ptr<const store::Batch> failed_;
  absl::Time retry_ = absl::InfiniteFuture();
  // Of the turn that is being committed; and once that has failed, all these as the store has them (null: it doesn't).
  std::set<JobKey> turn_jobs_;
  std::set<NodeUid> turn_nodes_;
  std::map<JobKey, std::unique_ptr<Job>> stored_jobs_;
  std::map<NodeUid, std::unique_ptr<NodeEntry>> stored_nodes_;

  // What is published or stored of each job. Epochs that its receipt names.
  std::map<JobKey, Epoch> noted_epochs_;
  // Receipts of jobs that were released untested.
  std::map<JobKey, std::string> waivers_;
  std::map<JobKey, std::pair<TestId, int32_t>> open_tests_;
  std::map<JobKey, Epoch> open_epochs_;

  // Leases of members of running gangs, and of agents.
  struct Lease {
    JobKey job;
    PodIndex index;
    Epoch epoch;
  };
  DeadlineWheel<Lease> member_leases_{absl::Seconds(1)};
  std::map<std::pair<JobKey, PodIndex>, absl::Time> members_heard_;
  std::set<std::pair<JobKey, PodIndex>> leases_lost_;
  DeadlineWheel<NodeUid> agent_leases_{absl::Milliseconds(500)};
  absl::Time next_expiry_ = absl::InfinitePast();
  // Levels were last reported then; whether they are to be again.
  absl::Time reported_ = absl::InfinitePast();
  bool report_due_ = true;

  // Calls that ended unanswered, until the member calls again or counts as gone.
  struct HangUp {
    JobKey job;
    PodIndex index;
    int32_t local_rank;
    friend auto operator<=>(const HangUp&, const HangUp&) = default;
  };
  DeadlineWheel<std::pair<HangUp, CallId>> hang_ups_{absl::Milliseconds(100)};
  std::map<HangUp, std::pair<CallId, gang::Incarnation>> hung_up_;
};

}  // namespace muster::core
