// After the commit: everybody hears what the committed state has for them.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "lib/gang/answer.h"
#include "lib/gang/demands.h"
#include "server/core/answers.h"
#include "server/core/core.h"
#include "server/core/key_values.h"
#include "server/core/loop.h"
#include "server/core/released_table.h"

namespace muster::core {

void Core::Tell() {
  receipts_.Committed();
  std::map<JobKey, News> news = std::move(news_);
  news_.clear();
  auto replies = std::move(replies_);
  replies_.clear();
  for (const auto& [line, warning] : std::exchange(lines_, {}))
    spdlog::log(warning ? spdlog::level::warn : spdlog::level::info, "{}", line);
  for (const auto& [key, of_job] : news)
    if (Job* job = jobs_.Find(key)) TellJob(*job, of_job);
  for (auto& reply : replies) reply(absl::OkStatus());
  RunReads();
  ReportLevels();
  SetAlarm();
}

void Core::TellJob(Job& job, const News& news) {
  const auto* running = std::get_if<gang::Running>(&job.gang.state);
  if (running != nullptr && open_epochs_.count(job.key()) == 0) {
    open_epochs_[job.key()] = running->released->epoch;
    key_values_.OpenJob(job.gang.uid, running->released->attempt, running->released->epoch);
    released_.Publish(job.gang.uid.value(), job.gang.ns, job.gang.name,
                      std::max(1, job.gang.spec->workers_per_member()), running->released);
    BeginLeases(job, *running->released);
    metrics_.Released();
  }
  if (const auto open = open_tests_.find(job.key()); open != open_tests_.end())
    key_values_.OpenTest(open->second.first, open->second.second);
  if (news.demands || news.moved) {
    for (const NodeUid& node : sessions_.SetOrders(job.gang.uid.value(), gang::Orders(job.gang))) AnswerPoll(node);
  }
  WakeRankCalls(job, news);
  if (news.moved || news.wake_all) WakeWatchCalls(job, watch_calls_.OfJob(job.key()));
  for (PodIndex index : news.wake) WakeWatchCalls(job, watch_calls_.OfMember(job.key(), index));
  if ((news.durable || news.queue) && watchers_.Watched(job.key())) {
    watchers_.Send(job.key(), std::make_shared<const v1::Job>(View(job)));
    if (job.finished()) watchers_.Done(job.key(), absl::OkStatus());
  }
}

void Core::WakeRankCalls(Job& job, const News& news) {
  const auto wake = [&](const std::vector<CallId>& ids) {
    for (CallId id : ids) {
      const gang::Answer answer = gang::AnswerTo(job.gang, rank_calls_.Look(id)->caller);
      if (answer.outcome == v1::OUTCOME_NOT_READY) continue;
      std::optional<RankCall> call = rank_calls_.Take(id);
      if (answer.outcome == v1::READY) metrics_.Handshake(now() - call->since);
      AnswerRankCall(*call, answer);
    }
  };
  if (news.wake_all) return wake(rank_calls_.OfJob(job.key()));
  for (PodIndex index : news.wake) wake(rank_calls_.OfMember(job.key(), index));
}

void Core::AnswerRankCall(RankCall& call, const gang::Answer& answer) {
  if (answer.outcome != v1::READY) return call.reply(StatusOf(answer));
  v1::GetRankResponse response;
  SetEnvelope(response.mutable_envelope(), /*retry=*/false);
  response.set_assignment(*answer.assignment);
  call.reply(std::move(response));
}

void Core::WakeWatchCalls(Job& job, const std::vector<CallId>& ids) {
  for (CallId id : ids) {
    const WatchCall* look = watch_calls_.Look(id);
    const gang::Watch watch = gang::WatchFor(job.gang, look->caller, look->epoch);
    if (watch.order == gang::Watch::Order::kContinue) continue;
    std::optional<WatchCall> call = watch_calls_.Take(id);
    call->reply(WatchResponse(watch));
  }
}

v1::WatchGangResponse Core::WatchResponse(const gang::Watch& watch) const {
  v1::WatchGangResponse response;
  SetEnvelope(response.mutable_envelope(), /*retry=*/false);
  response.set_order(watch.order == gang::Watch::Order::kContinue       ? v1::WatchGangResponse::CONTINUE
                     : watch.order == gang::Watch::Order::kStopAndLeave ? v1::WatchGangResponse::STOP_AND_LEAVE
                                                                        : v1::WatchGangResponse::STOP_AND_REJOIN);
  response.set_why(watch.why);
  response.set_outcome(watch.outcome);
  return response;
}

std::vector<v1::Task> Core::TasksFor(const NodeUid& node, const std::map<std::string, uint64_t>& seen) {
  return sessions_.TasksFor(node, seen, [&](const std::string& uid) { return jobs_.FindUid(uid) != nullptr; });
}

void Core::AnswerPoll(const NodeUid& node) {
  const TaskPoll* look = sessions_.Look(node);
  if (look == nullptr) return;
  std::vector<v1::Task> tasks = TasksFor(node, look->seen);
  if (tasks.empty()) return;
  std::optional<TaskPoll> poll = sessions_.Take(node);
  v1::NextTaskResponse response;
  SetEnvelope(response.mutable_envelope(), /*retry=*/false);
  for (v1::Task& task : tasks) *response.add_tasks() = std::move(task);
  poll->reply(std::move(response));
}

void Core::ReportLevels() {
  // It looks at every node: not in every turn.
  if (now() < reported_ + kReportEvery) {
    report_due_ = true;
    return;
  }
  reported_ = now();
  report_due_ = false;
  Metrics::Levels levels;
  levels.jobs = jobs_.by_phase();
  for (const auto& [name, node] : nodes_.by_name()) {
    ++levels.nodes_by_use[node->use()];
    ++levels.nodes_by_condition[node->condition()];
  }
  const auto queued = levels.jobs.find(v1::QUEUED);
  levels.queue_depth = queued == levels.jobs.end() ? 0 : queued->second;
  levels.waiting_calls = static_cast<int64_t>(rank_calls_.size() + watch_calls_.size() + sessions_.size());
  for (const auto& [key, job] : jobs_.all())
    if (job->phase == v1::ASSEMBLING) levels.members_missing += gang::MissingMembers(job->gang).count;
  levels.events_waiting = static_cast<int64_t>(loop_.depth());
  levels.store_failing = !failure_.ok();
  metrics_.Level(levels);
}

void Core::ShutDown() {
  const absl::Status down = absl::UnavailableError("the coordinator is shutting down; call again");
  for (const auto& [key, job] : jobs_.all()) {
    for (CallId id : rank_calls_.OfJob(key)) rank_calls_.Take(id)->reply(down);
    for (CallId id : watch_calls_.OfJob(key)) watch_calls_.Take(id)->reply(down);
  }
  for (TaskPoll& poll : sessions_.TakeAll()) poll.reply(down);
  watchers_.DoneAll(down);
  auto replies = std::move(replies_);
  replies_.clear();
  for (auto& reply : replies) reply(down);
  RunReads(down);
}

}  // namespace muster::core
