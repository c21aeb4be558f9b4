#include "client/cli/simulate.h"

#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/exit_code.h"
#include "client/cli/file_text.h"
#include "client/cli/format.h"
#include "client/cli/table.h"
#include "lib/inventory/read_inventory.h"
#include "lib/queue/policy_text.h"
#include "lib/simulation/chart.h"
#include "lib/simulation/report.h"
#include "lib/simulation/simulate.h"
#include "lib/simulation/spec.h"
#include "lib/simulation/trace_text.h"

namespace muster::cli {
namespace {

// A line of settings in place of a file.
bool IsSpec(const std::string& text) { return text.find('=') != std::string::npos; }

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }
std::string Times(double ratio) { return absl::StrFormat("%.3f ×", ratio); }

class SimulateCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Text(&nodes_, "nodes", "FILE|SPEC", "inventory file, or racks=20,nodes=25[,blocks=…,gpus=…]");
    flags.Text(&trace_, "trace", "FILE|SPEC", "CSV or sacct -P output, or jobs=10000,seed=1[,load=…,largest=…,run=…]");
    flags.Text(&failures_, "failures", "SPEC", "every=200d[,repair=4h,checkpoint=1h,seed=1]: how nodes fail");
    flags.Time(&ageing_, "ageing", "TIME", "waiting that a point of priority is worth, as musterd's (24h)");
    flags.Text(&shares_, "shares", "NS=WEIGHT,…", "as musterd's");
    flags.Text(&quotas_, "quotas", "NS=NODES,…", "as musterd's");
    flags.Switch(&preemption_, "preemption", "as musterd's");
    flags.Integer(
        &steps_, "steps", "N", 1, 1'000'000'000,
        "links looked at for one placement: more is nearer to the least cost (default 300000; musterd's: 12000000)");
    flags.Text(&svg_, "svg", "FILE", "draw utilisation and queue over time");
  }

  absl::StatusOr<int> Run(Context& context) override {
    const absl::Time began = context.now();
    simulation::Setup setup;
    if (absl::Status status = Prepare(context, setup); !status.ok()) return status;
    int64_t runs = 0;
    setup.observe = [&](const queue::Situation& s, const queue::Answers&) {
      if (++runs % 500 == 0) {
        context.err.Progress(absl::StrCat("simulated ", DurationText(s.now - absl::UnixEpoch()), ": ", s.holders.size(),
                                          " jobs run, ", s.queued.size(), " wait"));
      }
    };
    const absl::StatusOr<simulation::Result> result = simulation::Simulate(setup);
    context.err.EndProgress();
    if (!result.ok()) return AboutFile(result.status());
    if (!svg_.empty()) {
      std::ofstream file(svg_, std::ios::binary);
      file << simulation::Chart(*result);
      if (!file.flush()) return UsageError(absl::StrCat(svg_, ": can't be written"));
    }
    const simulation::Report report = simulation::Summarise(setup.jobs, *result);
    if (ForPrograms(context.format)) {
      PrintJson(context.out, context.format, simulation::ToJson(report));
    } else {
      Print(context, report, context.now() - began);
    }
    return report.never + report.waiting == 0 ? kExitOk : kExitNo;
  }

 private:
  absl::Status Prepare(Context& context, simulation::Setup& setup) {
    if (nodes_.empty() || trace_.empty()) {
      return UsageError("--nodes and --trace are needed",
                        "e.g. muster simulate --nodes racks=20,nodes=25 --trace jobs=1000,seed=1");
    }
    absl::StatusOr<placement::Cluster> cluster = ReadCluster(context);
    if (!cluster.ok()) return cluster.status();
    setup.cluster = *std::move(cluster);
    setup.costs = placement::HopCosts::Of(setup.cluster.topology->tiers());
    absl::StatusOr<simulation::Trace> trace = ReadJobs(context, setup.cluster);
    if (!trace.ok()) return trace.status();
    skipped_ = trace->skipped;
    setup.jobs = std::move(trace->jobs);
    if (!failures_.empty()) {
      const auto failures = simulation::FailuresOfSpec(failures_, "--failures");
      if (!failures.ok()) return AboutFile(failures.status());
      setup.failures = *failures;
    }
    setup.search.steps = steps_.value_or(300'000);
    if (ageing_) setup.policy.ageing = *ageing_;
    setup.policy.preempt = preemption_;
    auto shares = queue::ReadNumbers("--shares", shares_, 1, 1'000'000);
    if (!shares.ok()) return AboutFile(shares.status());
    setup.policy.shares = *std::move(shares);
    auto quotas = queue::ReadNumbers("--quotas", quotas_, 0, 1'000'000);
    if (!quotas.ok()) return AboutFile(quotas.status());
    setup.policy.quotas = *std::move(quotas);
    return absl::OkStatus();
  }

  absl::StatusOr<placement::Cluster> ReadCluster(Context& context) {
    if (IsSpec(nodes_)) {
      absl::StatusOr<placement::Cluster> cluster = simulation::ClusterOfSpec(nodes_, "--nodes");
      if (!cluster.ok()) return AboutFile(cluster.status());
      return cluster;
    }
    const absl::StatusOr<std::string> text = ReadText(nodes_, context.in, kMaxInventoryBytes);
    if (!text.ok()) return text.status();
    const auto inventory = inventory::ReadInventory(*text, FileName(nodes_), {});
    if (!inventory.ok()) return AboutFile(inventory.status());
    absl::StatusOr<placement::Cluster> cluster = placement::MakeCluster(inventory->tiers, inventory->nodes);
    if (!cluster.ok()) return AboutFile(cluster.status());
    return cluster;
  }

  absl::StatusOr<simulation::Trace> ReadJobs(Context& context, const placement::Cluster& cluster) {
    absl::StatusOr<simulation::Trace> trace;
    if (IsSpec(trace_)) {
      int64_t gpus = simulation::kMaxTraceGpus;
      for (const placement::NodeFacts& facts : *cluster.facts) gpus = std::min(gpus, facts.slots);
      trace =
          simulation::TraceOfSpec(trace_, "--trace", std::max(1, cluster.topology->size()), std::max<int64_t>(1, gpus));
    } else {
      const absl::StatusOr<std::string> text = ReadText(trace_, context.in);
      if (!text.ok()) return text.status();
      trace = simulation::ReadTrace(*text, FileName(trace_));
    }
    if (!trace.ok()) return AboutFile(trace.status());
    return trace;
  }

  void Print(Context& context, const simulation::Report& report, absl::Duration took) const {
    Facts facts;
    facts.Add("cluster", Count(report.nodes, "node"));
    facts.Add("jobs", JobsText(report));
    facts.Add("time", absl::StrCat("last submission after ", DurationText(report.last_submission), ", last end after ",
                                   DurationText(report.end)));
    facts.Add("utilisation", absl::StrCat(Percent(report.utilisation), " until the last submission, ",
                                          Percent(report.utilisation_in_all), " in all"));
    facts.Add("queue", absl::StrCat("at most ", Count(report.deepest_queue, "job"), " waiting"));
    facts.Add("fragmentation", absl::StrCat(Percent(report.fragmentation),
                                            " of the free nodes in partly used domains of the last tier"));
    if (report.ratios.jobs > 0) {
      facts.Add("cost", absl::StrCat(Times(report.ratios.geometric_mean), " the lower bound (geometric mean of ",
                                     Count(report.ratios.jobs, "job"), "; p95 ", Times(report.ratios.p95), ", max ",
                                     Times(report.ratios.max), "; ", Thousands(report.ratios.optimal), " optimal)"));
    }
    if (report.moves > 0) {
      facts.Add("moves", absl::StrCat("would have made room at once for ", Count(report.movable_leaders, "job"),
                                      " that led the queue: ", Count(report.moves, "job"), " with ",
                                      absl::StrFormat("%.1f node-hours", report.move_node_hours), " of work"));
    }
    if (report.preemptions > 0) facts.Add("preempted", Count(report.preemptions, "time"));
    if (report.node_failures > 0) {
      facts.Add("failures",
                absl::StrCat(Thousands(report.node_failures), " of nodes, ", Thousands(report.interruptions),
                             " of them under a job, ", Count(report.requeues, "requeue")));
    }
    if (report.lost_node_hours > 0)
      facts.Add("work lost", absl::StrFormat("%.1f node-hours, done again", report.lost_node_hours));
    facts.Print(context.out);
    context.out.Blank();
    PrintWaits(context, report);
    context.out.Blank();
    context.out.Line(absl::StrCat("simulated in ", DurationText(took), ": ", Thousands(report.events), " events, ",
                                  Thousands(report.queue_runs), " runs of the queue, ", Thousands(report.placements),
                                  " placements"));
  }

  std::string JobsText(const simulation::Report& report) const {
    std::string text = absl::StrCat(Thousands(report.jobs), ": ", Thousands(report.done), " done");
    const std::pair<int64_t, const char*> others[] = {{report.over_limit, " ended at their limit"},
                                                      {report.never, " never fit"},
                                                      {report.waiting, " still wait, for their quota or for nodes"}};
    for (const auto& [count, what] : others)
      if (count > 0) absl::StrAppend(&text, ", ", Thousands(count), what);
    if (report.trace_failed + report.trace_cancelled > 0) {
      absl::StrAppend(&text, " (the trace has ", Thousands(report.trace_failed), " failed and ",
                      Thousands(report.trace_cancelled), " cancelled)");
    }
    if (skipped_ > 0) absl::StrAppend(&text, "; ", Count(skipped_, "row"), " of the trace left out");
    return text;
  }

  static void PrintWaits(Context& context, const simulation::Report& report) {
    Table table({{"WAIT"}, {"JOBS", true}, {"P50", true}, {"P95", true}, {"MAX", true}, {"MEAN", true}});
    const auto row = [&table](const std::string& name, const simulation::Waits& waits) {
      table.Row({name, Thousands(waits.jobs), DurationText(waits.p50), DurationText(waits.p95), DurationText(waits.max),
                 DurationText(waits.mean)});
    };
    row("all", report.waits);
    if (report.by_priority.size() > 1) {
      for (auto of = report.by_priority.rbegin(); of != report.by_priority.rend(); ++of)
        row(absl::StrCat("priority ", of->first), of->second);
    }
    size_t shown = 0;
    for (const auto& [ns, waits] : report.by_namespace) {
      if (report.by_namespace.size() == 1 || (++shown > 8 && !context.wide())) break;
      row(ns, waits);
    }
    table.Print(context.out);
  }

  std::string nodes_, trace_, failures_, shares_, quotas_, svg_;
  absl::optional<absl::Duration> ageing_;
  absl::optional<int64_t> steps_;
  bool preemption_ = false;
  int64_t skipped_ = 0;
};

}  // namespace

void AddSimulateCommand(std::vector<CommandInfo>& commands) {
  commands.push_back({.verb = "simulate",
                      .noun = "",
                      .summary = "what the queue and the placement would make of a trace of jobs",
                      .examples = "muster simulate --nodes racks=20,nodes=25 --trace jobs=1000,seed=1\n"
                                  "muster simulate --nodes cluster.yaml --trace jobs.csv --svg week.svg",
                      .make = Make<SimulateCommand>,
                      .calls = false});
}

}  // namespace muster::cli
