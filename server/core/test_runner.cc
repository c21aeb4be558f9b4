#include "server/core/test_runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/errors.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

// Of a result's error, characters.
constexpr size_t kLongestError = 1024;

// Zero-padded, so that keys sort as the numbers do.
std::string PlanKey(const TestId& test, int32_t round) { return absl::StrFormat("%s/%04d/plan", test.value(), round); }
// What was settled before the first round: what is carried over, what the last pass measured, and when it began.
std::string BeginningKey(const TestId& test) { return absl::StrFormat("%s/0000/beginning", test.value()); }
std::string ReportKey(const TestId& test, int32_t round, int64_t n) {
  return absl::StrFormat("%s/%04d/report/%08d", test.value(), round, n);
}

void Begin(TestRun& run, const gang::PlanPtr& plan, absl::Time now, absl::Duration grace) {
  run.rounds.push_back({*plan, {}});
  run.finals.clear();
  run.plan = plan;
  run.steps.clear();
  for (const v1::TestStep& step : plan->steps()) run.steps[step.index()] = &step;
  run.workers_seen.clear();
  run.groups_seen.clear();
  run.round_ends = now + DurationOf(plan->deadline()) + grace;
}

TestRun NewRun(const selftest::Setting& setting, absl::Time now) {
  TestRun run;
  run.setting = setting;
  run.started = now;
  for (int32_t rank = 0; rank < setting.placement->ranks_size(); ++rank)
    run.nodes[NodeUid(setting.placement->ranks(rank).node_uid())].insert(rank);
  return run;
}

// Whether the plan asks this of the node. `i` is the result's place in its report.
absl::Status CheckResult(const TestRun& run, const std::set<int64_t>& node_ranks, const v1::StepResult& result, int i) {
  const std::string field = absl::StrCat("test.results[", i, "].");
  const auto step = run.steps.find(result.step());
  if (step == run.steps.end())
    return FieldError(field + "step", absl::StrCat(result.step(), " is not one of the ", run.steps.size(), " steps"),
                      "report what the plan asks for");
  const int64_t first = run.setting.FirstRank();
  if (result.global_rank() < first ||
      node_ranks.count((result.global_rank() - first) / run.setting.workers_per_member) == 0)
    return FieldError(field + "global_rank", absl::StrCat("worker ", result.global_rank(), " is not on this node"),
                      "report workers of this node alone");
  if (result.iteration_us_size() > step->second->iterations())
    return FieldError(
        field + "iteration_us",
        absl::StrCat(result.iteration_us_size(), " iterations of a step that has ", step->second->iterations()),
        "report what the plan asks for");
  if (result.error().size() > kLongestError)
    return FieldError(field + "error", absl::StrCat("has ", result.error().size(), " characters"),
                      absl::StrCat("give at most ", kLongestError));
  return absl::OkStatus();
}

void Take(TestRun& run, const NodeUid& node, const v1::TestReport& report) {
  selftest::Round& round = run.rounds.back();
  for (const v1::StepResult& result : report.results()) {
    run.workers_seen[result.step()].insert(result.global_rank());
    run.groups_seen[result.step()].insert(result.group_index());
    round.results.push_back(result);
  }
  if (!report.final()) return;
  run.finals.insert(node);
  for (const auto& [key, value] : report.facts()) run.facts[node][key] = value;
}

}  // namespace

void TestRunner::RoundBegins(const selftest::Setting& setting, const gang::PlanPtr& plan, absl::Time now,
                             absl::Duration grace, store::Batch& batch) {
  const auto [found, first] = runs_.try_emplace(setting.test, NewRun(setting, now));
  TestRun& run = found->second;
  Begin(run, plan, now, grace);
  if (first) {
    v1::Receipt beginning;
    SetTime(now, beginning.mutable_started());
    *beginning.mutable_groups() = {setting.carried.begin(), setting.carried.end()};
    *beginning.mutable_families() = {setting.history.begin(), setting.history.end()};
    beginning.set_id(setting.history_from);
    beginning.set_seed(setting.seed);
    run.keys.push_back(BeginningKey(setting.test));
    batch.Put(store::Kind::kTest, run.keys.back(), beginning.SerializeAsString());
  }
  run.keys.push_back(PlanKey(setting.test, plan->round()));
  batch.Put(store::Kind::kTest, run.keys.back(), plan->SerializeAsString());
}

absl::Status TestRunner::Resume(const selftest::Setting& setting, const gang::PlanPtr& plan, absl::Time now,
                                absl::Duration grace, const std::vector<store::Record>& records) {
  TestRun run = NewRun(setting, now);
  const std::string prefix = setting.test.value() + "/";
  for (const store::Record& record : records) {
    if (!absl::StartsWith(record.key, prefix)) continue;
    run.keys.push_back(record.key);
    if (record.key == BeginningKey(setting.test)) {
      v1::Receipt beginning;
      if (!beginning.ParseFromString(record.value))
        return absl::DataLossError("a test's beginning is damaged in the store");
      run.started = TimeOf(beginning.started());
      run.setting.carried.assign(beginning.groups().begin(), beginning.groups().end());
      run.setting.history.assign(beginning.families().begin(), beginning.families().end());
      run.setting.history_from = beginning.id();
      run.setting.seed = beginning.seed();
      continue;
    }
    if (absl::EndsWith(record.key, "/plan")) {
      auto earlier = std::make_shared<v1::TestPlan>();
      if (!earlier->ParseFromString(record.value)) return absl::DataLossError("a test's plan is damaged in the store");
      Begin(run, earlier, now, grace);
      continue;
    }
    v1::ReportTaskRequest report;
    if (run.rounds.empty() || !report.ParseFromString(record.value))
      return absl::DataLossError("a test's report is damaged in the store");
    ++run.reports;
    if (report.test().round() == run.rounds.back().plan.round()) Take(run, NodeUid(report.node_uid()), report.test());
  }
  if (run.rounds.empty() || run.rounds.back().plan.round() != plan->round())
    return absl::NotFoundError(
        absl::StrCat("the store has no round ", plan->round(), " of test ", setting.test.value()));
  runs_[setting.test] = std::move(run);
  return absl::OkStatus();
}

absl::Status TestRunner::Report(const NodeUid& node, const v1::TestReport& report, store::Batch& batch) {
  const auto found = runs_.find(TestId(report.test_id()));
  if (found == runs_.end()) return absl::OkStatus();
  TestRun& run = found->second;
  if (run.rounds.back().plan.round() != report.round() || run.nodes.count(node) == 0) return absl::OkStatus();
  if (run.finals.count(node) > 0) return absl::OkStatus();
  v1::ReportTaskRequest kept;
  kept.set_node_uid(node.value());
  v1::TestReport& fresh = *kept.mutable_test();
  fresh = report;
  fresh.clear_results();
  std::set<std::pair<int32_t, int64_t>> here;
  for (int i = 0; i < report.results_size(); ++i) {
    const v1::StepResult& result = report.results(i);
    if (absl::Status asked = CheckResult(run, run.nodes.at(node), result, i); !asked.ok()) return asked;
    const auto seen = run.workers_seen.find(result.step());
    if (seen != run.workers_seen.end() && seen->second.count(result.global_rank()) > 0) continue;
    if (here.insert({result.step(), result.global_rank()}).second) *fresh.add_results() = result;
  }
  if (fresh.results().empty() && !fresh.final()) return absl::OkStatus();
  if (!fresh.final()) fresh.clear_facts();
  Take(run, node, fresh);
  run.keys.push_back(ReportKey(found->first, report.round(), run.reports++));
  batch.Put(store::Kind::kTest, run.keys.back(), kept.SerializeAsString());
  return absl::OkStatus();
}

bool TestRunner::RoundEnded(const TestId& test, absl::Time now) const {
  const TestRun* run = Find(test);
  return run != nullptr && (run->finals.size() == run->nodes.size() || run->round_ends <= now);
}

std::variant<v1::TestPlan, selftest::Conclusion> TestRunner::Next(const TestId& test) const {
  const TestRun& run = runs_.at(test);
  return selftest::NextRound(run.setting, run.rounds);
}

const TestRun* TestRunner::Find(const TestId& test) const {
  const auto found = runs_.find(test);
  return found == runs_.end() ? nullptr : &found->second;
}

v1::TestProgress TestRunner::Progress(const TestId& test) const {
  v1::TestProgress progress;
  const TestRun* run = Find(test);
  if (run == nullptr) return progress;
  const v1::TestPlan& plan = run->rounds.back().plan;
  progress.set_test_id(test.value());
  progress.set_round(plan.round());
  for (const v1::TestStep& step : plan.steps()) {
    progress.set_groups_total(progress.groups_total() + step.groups_size());
    const auto seen = run->groups_seen.find(step.index());
    const int64_t done = seen == run->groups_seen.end() ? 0 : static_cast<int64_t>(seen->second.size());
    progress.set_groups_done(progress.groups_done() + std::min<int64_t>(done, step.groups_size()));
    if (progress.family().empty() && done < step.groups_size()) progress.set_family(step.family());
  }
  return progress;
}

void TestRunner::Forget(const TestId& test, store::Batch& batch) {
  const auto found = runs_.find(test);
  if (found == runs_.end()) return;
  // One by one: what this very turn has put goes, too.
  for (std::string& key : found->second.keys) batch.Delete(store::Kind::kTest, std::move(key));
  runs_.erase(found);
}

absl::Time TestRunner::NextEnd() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [test, run] : runs_) next = std::min(next, run.round_ends);
  return next;
}

}  // namespace muster::core
