#include "client/agent/agent.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/agent/children.h"

namespace muster::agent {
namespace {

// Beyond the members' own grace, for SIGKILL to be seen.
constexpr absl::Duration kEndSlack = absl::Seconds(5);
constexpr absl::Duration kLastReports = absl::Seconds(3);

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(AgentSetting setting) {
  absl::StatusOr<LedgerFile> file = LedgerFile::Open(setting.data);
  if (!file.ok()) return file.status();
  std::unique_ptr<Agent> agent(new Agent(std::move(setting), *std::move(file)));
  // As every incarnation on a host: greater than the last one here, and than one on a disk that is lost.
  const int64_t ordinal = std::max(agent->file_.found().session_ordinal() + 1, absl::ToUnixMicros(absl::Now()));
  agent->session_.set_ordinal(ordinal);
  return agent;
}

void Agent::Run() {
  Children children(events_);
  Session session(setting_.server, setting_.node, session_);
  TaskBoard board(setting_, file_, session_.ordinal(), children, session);
  board.Recover(absl::Now());
  Publish(board);
  session.Start({[this](uint64_t term) { return Begin(term); }, [this] { return Known(); },
                 [this](const v1::Task& task) { Deliver(task); }});
  absl::Time give_up = absl::InfiniteFuture();
  while (!stopping_ || (board.AnythingRuns() && absl::Now() < give_up)) {
    const bool was_stopping = stopping_;
    if (auto event = events_.Take(std::min(board.NextDeadline(absl::Now()), give_up))) {
      Handle(*std::move(event), board, children);
    }
    board.Tick(absl::Now());
    Publish(board);
    if (stopping_ && !was_stopping) give_up = absl::Now() + kDefaultGrace + kEndSlack;
  }
  Close();
  session.Stop(absl::Now() + kLastReports);
}

void Agent::Handle(Event event, TaskBoard& board, Children& children) {
  const absl::Time now = absl::Now();
  if (auto* task = std::get_if<TaskArrived>(&event)) {
    if (!stopping_) {
      const absl::Status taken = board.Take(task->task, now);
      const std::string refusal = taken.ok() ? ""
                                             : absl::StrCat("order ", task->task.mark().number(), " of ",
                                                            task->task.job(), " not taken: ", taken.message());
      // It is given again several times a second.
      if (refusal != last_refusal_ && !refusal.empty()) spdlog::error("{}; it will be given again", refusal);
      last_refusal_ = refusal;
    }
    Publish(board);
    task->taken->Notify();
  } else if (auto* met = std::get_if<CoordinatorMet>(&event)) {
    met->answer->begun = board.Begin(met->term, now);
    Publish(board);
    met->answer->done.Notify();
  } else if (auto* report = std::get_if<ChildReported>(&event)) {
    board.Reported(report->child, std::move(report->result), now);
  } else if (auto* end = std::get_if<ChildEnded>(&event)) {
    board.Ended(end->child, children.Reap(end->child), now);
  } else if (!stopping_) {
    stopping_ = true;
    spdlog::info("stopping; ending what runs here");
    board.EndAll(now);
  }
}

void Agent::Publish(const TaskBoard& board) {
  std::vector<v1::RegisterRequest::Known> known = board.Known();
  MutexLock lock(&mu_);
  known_ = std::move(known);
}

std::vector<v1::RegisterRequest::Known> Agent::Known() {
  MutexLock lock(&mu_);
  return known_;
}

void Agent::Deliver(const v1::Task& task) {
  auto taken = std::make_shared<Notification>();
  Decide(TaskArrived{task, taken}, *taken);
}

bool Agent::Begin(uint64_t term) {
  auto answer = std::make_shared<CoordinatorMet::Answer>();
  return Decide(CoordinatorMet{term, answer}, answer->done) && answer->begun;
}

bool Agent::Decide(Event event, Notification& done) {
  {
    MutexLock lock(&mu_);
    if (closed_) return false;
    events_.Put(std::move(event));
  }
  done.WaitForNotification();
  return true;
}

void Agent::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  while (auto event = events_.Take(absl::InfinitePast())) {
    if (auto* task = std::get_if<TaskArrived>(&*event)) task->taken->Notify();
    if (auto* met = std::get_if<CoordinatorMet>(&*event)) met->answer->done.Notify();
  }
}

}  // namespace muster::agent
