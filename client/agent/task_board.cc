#include "client/agent/task_board.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/agent/backends.h"
#include "client/agent/process_tree.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

// More than any node runs side by side; bounds what a confused server can make us keep.
constexpr size_t kMaxJobs = 1024;
// Of one order; a node has far fewer.
constexpr int kMaxWorkers = 1024;

// How often what is left behind is looked for while a stop waits for its end.
constexpr absl::Duration kOrphanPoll = absl::Milliseconds(20);

// How often a disk that takes nothing is tried.
constexpr absl::Duration kSaveAgain = absl::Seconds(1);

// A test without a backend of its own would only fail step by step.
bool KnowsBackend(const std::string& name) {
  const std::vector<std::string> known = BackendNames();
  return std::find(known.begin(), known.end(), name) != known.end();
}

JobRecord::Kind KindOf(const v1::Task& task) {
  switch (task.kind_case()) {
    case v1::Task::kRunTest:
      return JobRecord::RUN_TEST;
    case v1::Task::kStartMembers:
      return JobRecord::START_MEMBERS;
    case v1::Task::kStop:
      return JobRecord::STOP;
    default:
      return JobRecord::KIND_UNSPECIFIED;
  }
}

absl::Duration GraceOf(const v1::Stop& stop) {
  if (!stop.has_grace()) return kDefaultGrace;
  return std::clamp(FromProto(stop.grace()), absl::ZeroDuration(), absl::Hours(1));
}

// So that a crash between the order's commit and the start leaves a trace that the next agent reports as an end.
void Announce(const v1::StartMembers& order, const Origin& origin, JobRecord& record) {
  for (const v1::StartMembers::Member& wanted : order.members()) {
    MemberRecord* member = nullptr;
    for (MemberRecord& m : *record.mutable_members()) {
      if (m.pod_index() == wanted.pod_index()) member = &m;
    }
    if (member == nullptr) {
      member = record.add_members();
    } else if (!member->ended() || SameIncarnation(member->incarnation(), wanted.incarnation())) {
      continue;
    }
    member->Clear();
    member->set_pod_index(wanted.pod_index());
    *member->mutable_incarnation() = wanted.incarnation();
    *member->mutable_origin() = origin;
  }
}

}  // namespace

TaskBoard::TaskBoard(const AgentSetting& setting, LedgerFile& file, int64_t session_ordinal, Children& children,
                     ReportSink& sink)
    : setting_(setting), file_(file), children_(children), sink_(sink) {
  ledger_.set_session_ordinal(session_ordinal);
}

void TaskBoard::Recover(absl::Time now) {
  for (const JobRecord& record : file_.found().jobs()) {
    if (record.mark().job_uid().empty()) continue;
    Job& job = jobs_[record.mark().job_uid()];
    job.record = record;
    job.members =
        std::make_unique<Members>(setting_, children_, record.mark().job_uid(),
                                  std::vector<MemberRecord>(record.members().begin(), record.members().end()));
    job.stopping = record.kind() == JobRecord::STOP;
    // What survived the agent is on its way down by its keeper; this makes sure of it.
    job.members->Stop(kDefaultGrace, now);
    job.lost_test = record.kind() == JobRecord::RUN_TEST;
    SendEnds(job, job.members->AllEnds());
  }
  SaveSoon(now);
  Tick(now);
}

bool TaskBoard::Begin(uint64_t term, absl::Time now) {
  bool all = true, any = false;
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    const auto job = at++;
    if (job->second.record.mark().term() <= term) continue;
    if (job->second.Running()) {
      all = false;
      continue;
    }
    spdlog::warn("{}: its orders are of term {}, the coordinator is at term {}: forgotten", job->second.record.job(),
                 job->second.record.mark().term(), term);
    jobs_.erase(job);
    any = true;
  }
  if (any) SaveSoon(now);
  return all;
}

TaskBoard::Job& TaskBoard::JobOf(const v1::Task& task) {
  Job& job = jobs_[task.mark().job_uid()];
  if (job.members == nullptr) {
    job.members = std::make_unique<Members>(setting_, children_, task.mark().job_uid(), std::vector<MemberRecord>());
  }
  return job;
}

absl::Status TaskBoard::Take(const v1::Task& task, absl::Time now) {
  const v1::OrderMark& mark = task.mark();
  if (mark.job_uid().empty() || mark.number() == 0) return absl::OkStatus();  // no order of this protocol
  const auto at = jobs_.find(mark.job_uid());
  if (at != jobs_.end()) {
    const v1::OrderMark& taken = at->second.record.mark();
    if (mark.number() < taken.number() || mark.term() < taken.term()) return absl::OkStatus();  // from the past
    if (mark.number() == taken.number()) {
      *at->second.record.mutable_mark() = mark;
      AnswerAgain(at->second);
      return absl::OkStatus();
    }
  } else if (jobs_.size() >= kMaxJobs) {
    return absl::ResourceExhaustedError(absl::StrCat("orders of ", jobs_.size(), " jobs are held already"));
  }
  if (task.kind_case() == v1::Task::kForget) {
    // Only what is really gone is forgotten; else the mark counts and the fence stays.
    if (at == jobs_.end() || !at->second.Running()) {
      if (at != jobs_.end()) jobs_.erase(at);
      v1::ReportTaskRequest report;
      *report.mutable_mark() = mark;
      report.mutable_ended();
      sink_.Send(std::move(report));
      SaveSoon(now);
      return absl::OkStatus();
    }
  }
  const bool fresh = at == jobs_.end(), starts = task.has_run_test() || task.has_start_members();
  Job& job = JobOf(task);
  const JobRecord before = job.record;
  *job.record.mutable_mark() = mark;
  job.record.set_job(task.job());
  job.record.set_kind(KindOf(task));
  job.record.set_test_id(task.run_test().plan().test_id());
  job.record.set_round(task.run_test().plan().round());
  Record(job);
  if (task.has_start_members()) Announce(task.start_members(), setting_.origin, job.record);
  if (!starts) {
    SaveSoon(now);
  } else if (absl::Status s = Save(now); !s.ok()) {
    if (fresh) {
      jobs_.erase(mark.job_uid());
    } else {
      job.record = before;
    }
    return s;
  }
  Act(job, task, now);
  return absl::OkStatus();
}

void TaskBoard::Act(Job& job, const v1::Task& task, absl::Time now) {
  job.stopping = false;
  job.waiting = nullptr;
  job.refused.clear();
  const std::string name = absl::StrCat(task.job(), " order ", task.mark().number());
  switch (task.kind_case()) {
    case v1::Task::kRunTest:
      spdlog::info("{}: test {} round {}, {} workers, backend {}", name, task.run_test().plan().test_id(),
                   task.run_test().plan().round(), task.run_test().workers_size(), task.run_test().plan().backend());
      return StartTest(job, task, now);
    case v1::Task::kStartMembers:
      spdlog::info("{}: start {} members", name, task.start_members().members_size());
      return StartMembers(job, task, now);
    case v1::Task::kStop:
      spdlog::info("{}: stop: {}", name, task.stop().why());
      job.stopping = true;
      if (job.test != nullptr) job.test->Kill("stopped by order");
      job.members->Stop(GraceOf(task.stop()), now);
      return Settle(job, now);
    case v1::Task::kForget:
      return;
    default:
      return Refuse(job, "this muster-agent does not know that kind of order; update it");
  }
}

void TaskBoard::StartTest(Job& job, const v1::Task& task, absl::Time now) {
  if (!KnowsBackend(task.run_test().plan().backend())) {
    return Refuse(job, absl::StrCat("backend '", task.run_test().plan().backend(), "' is not built in; this agent has ",
                                    FewNames(BackendNames())));
  }
  if (task.run_test().workers_size() > kMaxWorkers) {
    return Refuse(job, absl::StrCat(task.run_test().workers_size(), " workers on one node; the most is ", kMaxWorkers));
  }
  if (job.Running()) {
    // Never beside an older test's children or a survivor: they would disturb what is measured.
    if (job.test != nullptr) job.test->Kill("a later test was ordered");
    job.waiting = std::make_unique<v1::Task>(task);
    return;
  }
  job.test = std::make_unique<TestRun>(setting_, task.mark(), task.run_test(), children_, sink_, now);
}

void TaskBoard::StartMembers(Job& job, const v1::Task& task, absl::Time now) {
  if (!setting_.node.allow_launch()) {
    return Refuse(job, absl::StrCat("node ", setting_.node.name(),
                                    " starts no members: its muster-agent runs without --allow-launch"));
  }
  if (job.lost_test || (job.test != nullptr && !job.test->done())) {
    if (job.test != nullptr) job.test->Kill("members are to be started");
    job.waiting = std::make_unique<v1::Task>(task);
    return;
  }
  job.test = nullptr;
  const absl::Status started = job.members->Start(task, now);
  Record(job);
  SaveSoon(now);
  if (!started.ok()) Refuse(job, std::string(started.message()));
}

void TaskBoard::AnswerAgain(Job& job) {
  if (!job.refused.empty()) return Refuse(job, job.refused);
  switch (job.record.kind()) {
    case JobRecord::RUN_TEST:
      if (job.test != nullptr) {
        job.test->ReportAgain(job.record.mark(), sink_);
      } else if (job.waiting == nullptr && !job.lost_test) {
        ReportLostTest(job);
      }
      break;
    case JobRecord::START_MEMBERS:
      SendEnds(job, job.members->AllEnds());
      break;
    case JobRecord::STOP:
      if (!job.stopping) {
        v1::ReportTaskRequest report;
        report.mutable_ended();
        Send(job, std::move(report));
      }
      break;
    default:
      break;
  }
}

void TaskBoard::Settle(Job& job, absl::Time now) {
  const std::vector<v1::MemberEnded> ends = job.members->TakeEnds();
  if (!ends.empty()) {
    SendEnds(job, ends);
    Record(job);
    SaveSoon(now);
  }
  // They die with their agent; this makes sure of it.
  if (job.lost_test && EndStartedWith(TestMark(setting_, job.record.mark().job_uid()))) {
    job.lost_test = false;
    if (job.record.kind() == JobRecord::RUN_TEST && job.waiting == nullptr) ReportLostTest(job);
  }
  if (job.Running()) return;
  // Also what a test's child has left behind: it belongs to no job that still runs.
  if (job.stopping && children_.EndOrphans()) {
    job.stopping = false;
    v1::ReportTaskRequest report;
    report.mutable_ended();
    Send(job, std::move(report));
    spdlog::info("{} order {}: nothing of it runs here any more", job.record.job(), job.record.mark().number());
  }
  if (job.waiting != nullptr) {
    const std::unique_ptr<v1::Task> task = std::move(job.waiting);
    Act(job, *task, now);
  }
}

void TaskBoard::Reported(ChildId child, v1::StepResult result, absl::Time now) {
  for (auto& [uid, job] : jobs_) {
    if (job.test != nullptr && job.test->Owns(child)) return job.test->Reported(child, std::move(result), now);
  }
}

void TaskBoard::Ended(ChildId child, int wait_status, absl::Time now) {
  for (auto& [uid, job] : jobs_) {
    if (job.test != nullptr && job.test->Owns(child)) {
      job.test->Ended(child, wait_status, now);
      return Settle(job, now);
    }
    if (job.members->Owns(child)) {
      job.members->Ended(child, wait_status, now);
      return Settle(job, now);
    }
  }
}

void TaskBoard::Tick(absl::Time now) {
  for (auto& [uid, job] : jobs_) {
    if (job.test != nullptr) job.test->Tick(now);
    job.members->Tick(now);
    Settle(job, now);
  }
  if (now >= save_at_) SaveSoon(now);
}

absl::Time TaskBoard::NextDeadline(absl::Time now) const {
  absl::Time next = save_at_;
  for (const auto& [uid, job] : jobs_) {
    if (job.test != nullptr) next = std::min(next, job.test->NextDeadline());
    next = std::min(next, job.members->NextDeadline(now));
    if (job.lost_test || (job.stopping && !job.Running())) next = std::min(next, now + kOrphanPoll);
  }
  return next;
}

std::vector<v1::RegisterRequest::Known> TaskBoard::Known() const {
  std::vector<v1::RegisterRequest::Known> known;
  for (const auto& [uid, job] : jobs_) {
    v1::RegisterRequest::Known& k = known.emplace_back();
    *k.mutable_mark() = job.record.mark();
    // A stop that isn't answered yet may still see something end.
    k.set_running(job.Running() || job.stopping);
  }
  return known;
}

void TaskBoard::EndAll(absl::Time now) {
  for (auto& [uid, job] : jobs_) {
    job.waiting = nullptr;
    if (job.test != nullptr) job.test->Kill("muster-agent was stopped");
    job.members->Stop(kDefaultGrace, now);
  }
}

bool TaskBoard::AnythingRuns() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j.second.Running(); });
}

void TaskBoard::ReportLostTest(const Job& job) {
  v1::ReportTaskRequest report;
  report.mutable_test()->set_test_id(job.record.test_id());
  report.mutable_test()->set_round(job.record.round());
  report.mutable_test()->set_final(true);
  Send(job, std::move(report));
}

void TaskBoard::Refuse(Job& job, const std::string& why) {
  job.refused = why;
  spdlog::warn("{} order {} refused: {}", job.record.job(), job.record.mark().number(), why);
  v1::ReportTaskRequest report;
  report.mutable_refused()->set_why(why);
  Send(job, std::move(report));
}

void TaskBoard::SendEnds(const Job& job, const std::vector<v1::MemberEnded>& ends) {
  for (const v1::MemberEnded& end : ends) {
    v1::ReportTaskRequest report;
    *report.mutable_member_ended() = end;
    Send(job, std::move(report));
  }
}

void TaskBoard::Send(const Job& job, v1::ReportTaskRequest report) {
  *report.mutable_mark() = job.record.mark();
  sink_.Send(std::move(report));
}

void TaskBoard::Record(Job& job) const {
  job.record.clear_members();
  for (MemberRecord& member : job.members->Records()) *job.record.add_members() = std::move(member);
  if (job.waiting != nullptr && job.waiting->has_start_members())
    Announce(job.waiting->start_members(), setting_.origin, job.record);
}

absl::Status TaskBoard::Save(absl::Time now) {
  ledger_.clear_jobs();
  for (const auto& [uid, job] : jobs_) *ledger_.add_jobs() = job.record;
  const absl::Status saved = file_.Save(ledger_);
  const bool before = save_at_ == absl::InfiniteFuture();
  save_at_ = saved.ok() ? absl::InfiniteFuture() : now + kSaveAgain;
  if (saved.ok() != before) {
    saved.ok() ? spdlog::info("the ledger is written again")
               : spdlog::error("{}; until it can be written, nothing is started here and what must end still does",
                               std::string(saved.message()));
  }
  return saved;
}

void TaskBoard::SaveSoon(absl::Time now) {
  // It says what is wrong, and Tick tries again.
  Save(now).IgnoreError();
}

}  // namespace muster::agent
