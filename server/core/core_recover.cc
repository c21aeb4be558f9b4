// Starting again with what the store has.

#include <spdlog/spdlog.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "server/core/core.h"
#include "server/core/job_record.h"
#include "server/core/key_values.h"
#include "server/core/loop.h"
#include "server/core/node_record.h"

namespace muster::core {

absl::Status Core::Recover() {
  for (const auto& step : {&Core::RecoverNodes, &Core::RecoverJobs, &Core::RecoverTests, &Core::RecoverKeyValues})
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  const auto known = [this](const std::string& uid) { return jobs_.FindUid(uid) != nullptr; };
  if (absl::Status status = receipts_.Load(known); !status.ok()) return status;
  for (const auto& [key, job] : jobs_.all()) {
    if (job->gang.waived) waivers_[key] = receipts_.LatestIdOf(job->gang.uid);
    // Everything that follows from the state is issued again.
    News& news = news_[key];
    news.demands = true;
    news.moved = true;
    news.wake_all = true;
  }
  spdlog::info("event=recovered term={} jobs={} nodes={}", store_.term().value(), jobs_.all().size(), nodes_.size());
  for (const auto& [key, job] : jobs_.all()) Apply(*job, gang::CoordinatorRestarted{});
  loop_.PostInternal([] {});
  return absl::OkStatus();
}

absl::Status Core::RecoverNodes() {
  absl::StatusOr<std::vector<store::Record>> records = store_.Load(store::Kind::kNode);
  if (!records.ok()) return records.status();
  for (const store::Record& record : *records) {
    absl::StatusOr<NodeEntry> kept = DecodeNode(record.key, record.value);
    if (!kept.ok()) return kept.status();
    absl::StatusOr<NodeEntry*> node = nodes_.Put(kept->uid, kept->info);
    if (!node.ok()) return absl::DataLossError(node.status().message());
    **node = *std::move(kept);
    // A full lease where there was one; a lost node stays lost until its agent comes.
    if (!(*node)->lost) BeginLease(**node);
  }
  return absl::OkStatus();
}

absl::Status Core::RecoverJobs() {
  absl::StatusOr<std::vector<store::Record>> records = store_.Load(store::Kind::kJob);
  if (!records.ok()) return records.status();
  absl::StatusOr<std::vector<std::unique_ptr<Job>>> jobs = ReadJobs(*std::move(records));
  if (!jobs.ok()) return jobs.status();
  for (std::unique_ptr<Job>& job : *jobs) {
    Job& added = jobs_.Add(std::move(job));
    jobs_.PhaseChanged(added, gang::PhaseOf(added.gang.state));
    added.holds = gang::Holds(added.gang);
    nodes_.SetHolds(added.key(), {}, added.holds);
    jobs_.DeadlineChanged(added, gang::NextDeadline(added.gang));
    if (const auto* running = std::get_if<gang::Running>(&added.gang.state))
      noted_epochs_[added.key()] = running->released->epoch;
  }
  return absl::OkStatus();
}

absl::Status Core::RecoverTests() {
  absl::StatusOr<std::vector<store::Record>> records = store_.Load(store::Kind::kTest);
  if (!records.ok()) return records.status();
  for (const auto& [key, job] : jobs_.all()) {
    const auto* testing = std::get_if<gang::Testing>(&job->gang.state);
    if (testing == nullptr || testing->plan == nullptr || testing->passed) continue;
    const selftest::Setting setting =
        Engine::SettingOf(*job, nodes_, testing->placement, testing->test, testing->plan->seed());
    if (absl::Status resumed = tests_.Resume(setting, testing->plan, now(), options_.report_grace, *records);
        !resumed.ok())
      return resumed;
    open_tests_[key] = {testing->test, testing->plan->round()};
  }
  for (const store::Record& record : *records) {
    // Of tests that were over.
    if (tests_.Find(TestId(record.key.substr(0, record.key.find('/')))) == nullptr)
      batch_.Delete(store::Kind::kTest, record.key);
  }
  return absl::OkStatus();
}

absl::Status Core::RecoverKeyValues() {
  absl::StatusOr<std::vector<store::Record>> records = store_.Load(store::Kind::kKeyValue);
  if (!records.ok()) return records.status();
  std::set<std::string> open;
  for (const auto& [key, job] : jobs_.all()) {
    const auto* running = std::get_if<gang::Running>(&job->gang.state);
    if (running == nullptr) continue;
    key_values_.OpenJob(job->gang.uid, running->released->attempt, running->released->epoch);
    open.insert(job->gang.uid.value());
  }
  for (const store::Record& record : *records) {
    // Written while their epoch ended.
    if (open.count(record.key.substr(0, record.key.find('/'))) == 0) batch_.Delete(store::Kind::kKeyValue, record.key);
  }
  key_values_.Load(*records);
  return absl::OkStatus();
}

}  // namespace muster::core
