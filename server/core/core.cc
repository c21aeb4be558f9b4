#include "server/core/core.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/gang/demands.h"
#include "server/core/job_record.h"
#include "server/core/key_values.h"
#include "server/core/loop.h"
#include "server/core/node_record.h"
#include "server/core/released_table.h"

namespace muster::core {
namespace {

// Rounds of deciding and stepping that one turn makes at most; what is left is for the next.
constexpr int kPasses = 8;

}  // namespace

Core::Core(const Clock& clock, Loop& loop, store::Store& store, Metrics& metrics, KeyValues& key_values,
           ReleasedTable& released, Tiers tiers, Options options)
    : clock_(clock),
      loop_(loop),
      store_(store),
      metrics_(metrics),
      key_values_(key_values),
      released_(released),
      options_(std::move(options)),
      ids_(options_.seed, store.term()),
      jobs_(options_.max_job_bytes),
      nodes_(std::move(tiers), store.term()),
      receipts_(store),
      sessions_(store.term()) {}

void Core::EndTurn() {
  if (committing_) return;
  if (failed_ != nullptr) {
    RunReads();
    return SetAlarm();
  }
  for (int pass = 0; pass < kPasses && Decide(); ++pass) {
  }
  for (JobKey key : dirty_jobs_)
    if (Job* job = jobs_.Find(key)) WriteJob(*job);
  for (const NodeUid& uid : dirty_nodes_)
    if (NodeEntry* node = nodes_.Find(uid)) batch_.Put(store::Kind::kNode, uid.value(), EncodeNode(*node));
  turn_jobs_ = std::exchange(dirty_jobs_, {});
  turn_nodes_ = std::exchange(dirty_nodes_, {});
  PruneFinished();
  receipts_.Prune(options_.keep_receipts, batch_);
  if (batch_.empty()) return Tell();
  failed_ = std::make_shared<const store::Batch>(std::move(batch_));
  batch_ = store::Batch();
  Commit();
}

bool Core::Decide() {
  bool stepped = false;
  std::vector<JobKey> touched;
  for (const auto& [key, news] : news_) touched.push_back(key);
  for (JobKey key : touched) {
    Job* job = jobs_.Find(key);
    if (job == nullptr || !gang::WantsTestPlan(job->gang)) continue;
    absl::StatusOr<Engine::Plan> plan = engine_.PlanTest(*job, nodes_, receipts_, ids_, now());
    if (!plan.ok()) {
      spdlog::warn("event=test_not_planned job={} why=\"{}\"", job->FullName(), std::string(plan.status().message()));
      continue;
    }
    if (plan->setting) settings_[plan->setting->test] = *std::move(plan->setting);
    Apply(*job, std::move(plan->event));
    stepped = true;
  }
  settings_.clear();
  if (place_) {
    place_ = false;
    std::map<JobKey, std::pair<int32_t, std::string>> seen;
    for (JobKey key : watchers_.jobs())
      if (const Job* job = jobs_.Find(key)) seen[key] = {job->queue_position, job->waits_for};
    auto events = engine_.Place(nodes_, jobs_, options_.queue, now());
    for (const auto& [key, before] : seen) {
      const Job& job = *jobs_.Find(key);
      if (before != std::pair(job.queue_position, job.waits_for)) news_[key].queue = true;
    }
    for (auto& [key, event] : events) {
      Job* job = jobs_.Find(key);
      if (job == nullptr) continue;
      if (const auto* found = std::get_if<gang::PlacementFound>(&event))
        metrics_.Placed(*found->placement, now() - job->gang.submitted);
      Apply(*job, std::move(event));
      stepped = true;
    }
  }
  return stepped;
}

void Core::WriteJob(Job& job) {
  PutJob(job, batch_);
  const auto* running = std::get_if<gang::Running>(&job.gang.state);
  if (running == nullptr || job.gang.receipt.value().empty()) return;
  Epoch& noted = noted_epochs_[job.key()];
  if (noted == running->released->epoch) return;
  noted = running->released->epoch;
  if (absl::StatusOr<v1::Receipt> receipt = receipts_.Read(job.gang.receipt.value()); receipt.ok()) {
    receipt->set_epoch(noted.value());
    receipts_.Rewrite(*receipt, batch_);
  }
}

void Core::PruneFinished() {
  // Only what nothing is owed of any more.
  auto excess = static_cast<int64_t>(jobs_.finished().size()) - options_.keep_finished;
  int64_t bytes = jobs_.finished_weight() - options_.keep_finished_bytes;
  std::vector<JobKey> old;
  for (auto i = jobs_.finished().begin(); (excess > 0 || bytes > 0) && i != jobs_.finished().end(); ++i) {
    Job* job = jobs_.Find(*i);
    if (!job->gang.stops.empty() || news_.count(*i) > 0) continue;
    old.push_back(*i);
    --excess;
    bytes -= job->finished_weight;
  }
  for (JobKey key : old) {
    Job& job = *jobs_.Find(key);
    DeleteJob(job, batch_);
    sessions_.SetOrders(job.gang.uid.value(), {});
    nodes_.SetHolds(key, job.holds, {});
    watchers_.Done(key, absl::OkStatus());
    receipts_.ForgetJob(job.gang.uid);
    noted_epochs_.erase(key);
    waivers_.erase(key);
    jobs_.Remove(key);
  }
}

void Core::Commit() {
  committing_ = true;
  commit_began_ = now();
  loop_.Hold(true);
  store_.Commit(*failed_,
                [this](const absl::Status& status) { loop_.PostInternal([this, status] { Committed(status); }); });
}

void Core::Committed(const absl::Status& status) {
  committing_ = false;
  loop_.Hold(false);
  metrics_.Committed(now() - commit_began_, status.ok());
  if (status.ok()) {
    if (!failure_.ok()) {
      spdlog::info("event=store_works_again");
      BeginLeasesAnew();
    }
    stored_jobs_.clear();
    stored_nodes_.clear();
    failed_ = nullptr;
    failure_ = absl::OkStatus();
    retry_ = absl::InfiniteFuture();
    return Tell();
  }
  if (failure_.ok()) {
    spdlog::error("event=store_failed why=\"{}\"", std::string(status.message()));
    KeepStored();
  }
  failure_ = absl::UnavailableError(absl::StrCat("the coordinator can't make anything durable: ", status.message(),
                                                 "; what is durable can still be read; call again"));
  retry_ = now() + options_.store_retry;
  auto replies = std::move(replies_);
  replies_.clear();
  for (auto& reply : replies) reply(failure_);
  RunReads();
  ReportLevels();
  SetAlarm();
}

Job& Core::AddJob(std::unique_ptr<Job> owned) {
  Job& job = jobs_.Add(std::move(owned));
  jobs_.PhaseChanged(job, gang::PhaseOf(job.gang.state));
  jobs_.DeadlineChanged(job, gang::NextDeadline(job.gang));
  dirty_jobs_.insert(job.key());
  news_[job.key()].durable = true;
  place_ = true;
  SayWhenDurable(absl::StrCat("event=submitted job=", job.FullName(), " uid=", job.gang.uid.value(),
                              " members=", job.gang.spec->members()));
  return job;
}

void Core::Apply(Job& job, gang::Event event) {
  cascade_.emplace_back(job.key(), std::move(event));
  if (stepping_) return;
  stepping_ = true;
  // What a step brings about for other jobs is appended while we go.
  for (size_t i = 0; i < cascade_.size(); ++i) {
    const auto [key, next] = std::move(cascade_[i]);
    if (Job* of = jobs_.Find(key)) StepOne(*of, next);
  }
  cascade_.clear();
  stepping_ = false;
}

void Core::StepOne(Job& job, const gang::Event& event) {
  const absl::Time since = job.gang.since;
  const gang::Change change = gang::Step(job.gang, event, now());
  const v1::Phase before = job.phase;
  const v1::Phase after = gang::PhaseOf(job.gang.state);
  const bool soft_deadline =
      std::holds_alternative<gang::LeaseLost>(event) || std::holds_alternative<gang::LeaseRenewed>(event);
  if (!change.durable && !change.demands && !change.wake_all && change.wake.empty() && !soft_deadline &&
      !std::holds_alternative<gang::CoordinatorRestarted>(event))
    return;
  News& news = news_[job.key()];
  news.durable |= change.durable;
  news.demands |= change.demands;
  news.wake_all |= change.wake_all;
  news.wake.insert(change.wake.begin(), change.wake.end());
  if (change.durable) dirty_jobs_.insert(job.key());
  if (before != after) {
    metrics_.PhaseLeft(before, now() - since);
    jobs_.PhaseChanged(job, after);
    job.queue_position = 0;
    job.waits_for.clear();
    job.starts_by = absl::InfiniteFuture();
    news.moved = true;
    // Those behind it move up, and may start.
    if (before == v1::QUEUED && after == v1::FINISHED) place_ = true;
    SayWhenDurable(absl::StrCat("event=phase job=", job.FullName(), " uid=", job.gang.uid.value(),
                                " phase=", v1::Phase_Name(after), " attempt=", job.gang.attempt.value(),
                                " epoch=", job.gang.epoch.value(), " why=\"", job.gang.why, "\""));
  }
  if (change.durable) StateMoved(job);
  if (before != after && after == v1::ASSEMBLING && job.gang.waived) Waive(job);
  if (change.demands || before != after) HoldsMoved(job);
  for (const gang::Change::Quarantine& quarantine : change.quarantines) {
    NodeEntry* node = nodes_.Find(quarantine.node);
    if (node == nullptr) continue;
    Quarantine(*node, quarantine.reason,
               quarantine.without_expiry ? absl::InfiniteFuture() : now() + options_.quarantine,
               quarantine.without_expiry ? job.FullName() : receipts_.LatestIdOf(job.gang.uid),
               quarantine.without_expiry ? job.gang.uid.value() : "");
  }
  jobs_.DeadlineChanged(job, gang::NextDeadline(job.gang));
}

void Core::StateMoved(Job& job) {
  // Released answers end before the commit that ends them, so that none is given after it.
  const auto* running = std::get_if<gang::Running>(&job.gang.state);
  const auto open = open_epochs_.find(job.key());
  if (open != open_epochs_.end() && (running == nullptr || running->released->epoch != open->second)) {
    released_.Remove(job.gang.uid.value());
    key_values_.CloseJob(job.gang.uid);
    batch_.DeletePrefix(store::Kind::kKeyValue, KeyValues::PrefixOf(job.gang.uid));
    open_epochs_.erase(open);
  }
  const auto* testing = std::get_if<gang::Testing>(&job.gang.state);
  const auto tested = open_tests_.find(job.key());
  if (tested != open_tests_.end() && (testing == nullptr || testing->test != tested->second.first)) {
    key_values_.CloseTest(tested->second.first);
    tests_.Forget(tested->second.first, batch_);
    open_tests_.erase(tested);
  }
  if (testing != nullptr && testing->plan != nullptr && !testing->passed) BeginRound(job, *testing);
}

void Core::BeginRound(Job& job, const gang::Testing& testing) {
  const std::pair<TestId, int32_t> round(testing.test, testing.plan->round());
  const auto open = open_tests_.find(job.key());
  if (open != open_tests_.end() && open->second == round) return;
  const TestRun* run = tests_.Find(testing.test);
  const auto planned = settings_.find(testing.test);
  const selftest::Setting setting =
      run != nullptr ? run->setting
      : planned != settings_.end()
          ? planned->second
          : Engine::SettingOf(job, nodes_, testing.placement, testing.test, testing.plan->seed());
  tests_.RoundBegins(setting, testing.plan, now(), options_.report_grace, batch_);
  open_tests_[job.key()] = round;
}

void Core::HoldsMoved(Job& job) {
  std::map<NodeUid, v1::NodeUse> holds = gang::Holds(job.gang);
  for (const auto& [uid, use] : job.holds) {
    NodeEntry* node = nodes_.Find(uid);
    if (node == nullptr || (holds.count(uid) > 0 && job.gang.stops.count(uid) > 0)) continue;
    if (holds.count(uid) == 0) place_ = true;
    // The stop that it was quarantined for is confirmed.
    if (node->stop_of == job.gang.uid.value() && job.gang.stops.count(uid) == 0) ReadmitNode(*node);
  }
  nodes_.SetHolds(job.key(), job.holds, holds);
  job.holds = std::move(holds);
  place_ |= gang::WantsPlacement(job.gang) || gang::WantsReplacement(job.gang);
}

void Core::NodeChanged(NodeEntry& node, bool placing) {
  dirty_nodes_.insert(node.uid);
  place_ |= placing;
  next_expiry_ = absl::InfinitePast();  // looked up anew at the end of the turn
}

void Core::Quarantine(NodeEntry& node, const std::string& reason, absl::Time until, const std::string& set_by,
                      const std::string& stop_of) {
  node.set = v1::QUARANTINED;
  node.reason = reason;
  node.until = until;
  node.set_by = set_by;
  node.stop_of = stop_of;
  NodeChanged(node, /*placing=*/false);
  SayWhenDurable(
      absl::StrCat("event=quarantined node=", node.info.name(), " until=",
                   until == absl::InfiniteFuture() ? "readmitted" : absl::FormatTime(until, absl::UTCTimeZone()),
                   " set_by=", set_by, " why=\"", reason, "\""),
      /*warning=*/true);
  const std::map<JobKey, v1::NodeUse> users = node.users;  // a step may change them
  for (const auto& [key, use] : users)
    if (Job* job = jobs_.Find(key)) Apply(*job, gang::NodeQuarantined{node.uid, reason});
}

void Core::ReadmitNode(NodeEntry& node) {
  node.set = v1::NODE_OK;
  node.reason.clear();
  node.until = absl::InfiniteFuture();
  node.set_by.clear();
  node.stop_of.clear();
  NodeChanged(node, /*placing=*/true);
  SayWhenDurable(absl::StrCat("event=readmitted node=", node.info.name()));
  TellRestored(node);
}

void Core::TellRestored(const NodeEntry& node) {
  if (!node.ok()) return;
  // Also jobs that no longer have it may shun it.
  for (const auto& [key, job] : jobs_.all())
    if (job->gang.facts.shunned.count(node.uid) > 0) Apply(*job, gang::NodeRestored{node.uid});
}

void Core::LookAtTest(Job& job) {
  const auto* testing = std::get_if<gang::Testing>(&job.gang.state);
  if (testing == nullptr || testing->passed || !tests_.RoundEnded(testing->test, now())) return;
  const TestId test = testing->test;
  auto next = tests_.Next(test);
  if (auto* plan = std::get_if<v1::TestPlan>(&next)) {
    return Apply(job, gang::TestPlanned{test, std::make_shared<const v1::TestPlan>(std::move(*plan))});
  }
  Conclude(job, test, std::get<selftest::Conclusion>(next));
}

}  // namespace muster::core
