#include "lib/simulation/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace muster::simulation {
namespace {

// The least value that `share` of all don't exceed. `values` ascending, not empty.
template <typename T>
T Quantile(const std::vector<T>& values, double share) {
  const double at = std::ceil(share * static_cast<double>(values.size())) - 1;
  return values[static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(values.size() - 1)))];
}

Waits WaitsOf(std::vector<absl::Duration> waits) {
  Waits of;
  of.jobs = static_cast<int64_t>(waits.size());
  if (waits.empty()) return of;
  std::sort(waits.begin(), waits.end());
  absl::Duration sum;
  for (const absl::Duration wait : waits) sum += wait;
  of.mean = sum / of.jobs;
  of.p50 = Quantile(waits, 0.5);
  of.p95 = Quantile(waits, 0.95);
  of.max = waits.back();
  return of;
}

Ratios RatiosOf(const std::vector<JobResult>& jobs) {
  Ratios of;
  std::vector<double> ratios;
  double logs = 0;
  for (const JobResult& job : jobs) {
    if (job.bound <= 0) continue;
    ratios.push_back(static_cast<double>(job.cost) / static_cast<double>(job.bound));
    logs += std::log(ratios.back());
    of.optimal += job.cost == job.bound;
  }
  of.jobs = static_cast<int64_t>(ratios.size());
  if (ratios.empty()) return of;
  std::sort(ratios.begin(), ratios.end());
  of.geometric_mean = std::exp(logs / static_cast<double>(ratios.size()));
  of.p50 = Quantile(ratios, 0.5);
  of.p95 = Quantile(ratios, 0.95);
  of.max = ratios.back();
  return of;
}

void Integrate(const Result& result, Report& report) {
  double busy = 0, busy_in_all = 0, free = 0, broken = 0;
  const double until = absl::ToDoubleSeconds(report.last_submission), end = absl::ToDoubleSeconds(result.end);
  for (size_t i = 0; i < result.levels.size(); ++i) {
    const Level& level = result.levels[i];
    const double from = absl::ToDoubleSeconds(level.at);
    const double to = i + 1 < result.levels.size() ? absl::ToDoubleSeconds(result.levels[i + 1].at) : end;
    busy_in_all += static_cast<double>(level.busy) * (to - from);
    if (from < until) {
      const double part = std::min(to, until) - from;
      busy += static_cast<double>(level.busy) * part;
      free += static_cast<double>(result.nodes - level.busy - level.down) * part;
      broken += static_cast<double>(level.broken) * part;
    }
    report.deepest_queue = std::max(report.deepest_queue, level.queued);
  }
  const auto nodes = static_cast<double>(result.nodes);
  if (until > 0) report.utilisation = busy / (nodes * until);
  if (end > 0) report.utilisation_in_all = busy_in_all / (nodes * end);
  if (free > 0) report.fragmentation = broken / free;
}

nlohmann::ordered_json ToJson(const Waits& waits) {
  return {{"jobs", waits.jobs},
          {"mean", absl::ToDoubleSeconds(waits.mean)},
          {"p50", absl::ToDoubleSeconds(waits.p50)},
          {"p95", absl::ToDoubleSeconds(waits.p95)},
          {"max", absl::ToDoubleSeconds(waits.max)}};
}

}  // namespace

Report Summarise(const std::vector<TraceJob>& jobs, const Result& result) {
  Report report;
  report.nodes = result.nodes;
  report.jobs = static_cast<int64_t>(jobs.size());
  if (!jobs.empty()) report.last_submission = jobs.back().submit;
  report.end = result.end;
  std::vector<absl::Duration> waits;
  std::map<int32_t, std::vector<absl::Duration>> by_priority;
  std::map<std::string, std::vector<absl::Duration>> by_namespace;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobResult& job = result.jobs[i];
    report.done += job.fate == Fate::kDone;
    report.over_limit += job.fate == Fate::kOverLimit;
    report.never += job.fate == Fate::kNever;
    report.waiting += job.fate == Fate::kWaiting;
    report.trace_failed += jobs[i].end == TraceEnd::kFailed;
    report.trace_cancelled += jobs[i].end == TraceEnd::kCancelled;
    report.preemptions += job.preempted;
    report.interruptions += job.failed;
    report.requeues += job.requeued;
    if (job.started == absl::InfiniteDuration()) continue;
    waits.push_back(job.started - jobs[i].submit);
    by_priority[jobs[i].priority].push_back(waits.back());
    by_namespace[jobs[i].ns].push_back(waits.back());
  }
  report.waits = WaitsOf(std::move(waits));
  for (auto& [priority, of] : by_priority) report.by_priority[priority] = WaitsOf(std::move(of));
  for (auto& [ns, of] : by_namespace) report.by_namespace[ns] = WaitsOf(std::move(of));
  report.ratios = RatiosOf(result.jobs);
  report.node_failures = result.failures;
  report.lost_node_hours = result.lost_node_seconds / 3600;
  report.movable_leaders = result.movable_leaders;
  report.moves = result.moves;
  report.move_node_hours = result.move_node_seconds / 3600;
  report.events = result.events;
  report.queue_runs = result.runs;
  report.placements = result.placements;
  Integrate(result, report);
  return report;
}

std::string ToJson(const Report& report) {
  nlohmann::ordered_json out;
  out["nodes"] = report.nodes;
  out["jobs"] = {{"submitted", report.jobs},
                 {"done", report.done},
                 {"overLimit", report.over_limit},
                 {"never", report.never},
                 {"waiting", report.waiting}};
  out["trace"] = {{"failed", report.trace_failed}, {"cancelled", report.trace_cancelled}};
  out["time"] = {{"lastSubmission", absl::ToDoubleSeconds(report.last_submission)},
                 {"end", absl::ToDoubleSeconds(report.end)}};
  out["utilisation"] = {{"untilLastSubmission", report.utilisation}, {"inAll", report.utilisation_in_all}};
  out["fragmentation"] = report.fragmentation;
  out["deepestQueue"] = report.deepest_queue;
  out["waits"] = ToJson(report.waits);
  for (const auto& [priority, waits] : report.by_priority)
    out["waitsByPriority"][std::to_string(priority)] = ToJson(waits);
  for (const auto& [ns, waits] : report.by_namespace) out["waitsByNamespace"][ns] = ToJson(waits);
  out["costToBound"] = {
      {"jobs", report.ratios.jobs}, {"optimal", report.ratios.optimal}, {"geometricMean", report.ratios.geometric_mean},
      {"p50", report.ratios.p50},   {"p95", report.ratios.p95},         {"max", report.ratios.max}};
  out["preemptions"] = report.preemptions;
  out["failures"] = {{"nodes", report.node_failures},
                     {"interruptions", report.interruptions},
                     {"requeues", report.requeues},
                     {"lostNodeHours", report.lost_node_hours}};
  out["moves"] = {
      {"leaders", report.movable_leaders}, {"jobs", report.moves}, {"workNodeHours", report.move_node_hours}};
  out["work"] = {{"events", report.events}, {"queueRuns", report.queue_runs}, {"placements", report.placements}};
  // Names come from files: what is no UTF-8 is replaced.
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace muster::simulation
