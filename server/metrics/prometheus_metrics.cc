#include "server/metrics/prometheus_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"

namespace muster::metrics {
namespace {

constexpr size_t kFamilies = 48;

using Buckets = prometheus::Histogram::BucketBoundaries;
using Labels = prometheus::Labels;

// From a quick poll to a long queue.
const Buckets& Waits() {
  static const auto& buckets = *new Buckets{0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400};
  return buckets;
}
const Buckets& Calls() {
  static const auto& buckets =
      *new Buckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60};
  return buckets;
}
// Bytes a second, from loopback TCP to NVLink.
const Buckets& Bandwidths() {
  static const auto& buckets =
      *new Buckets{1e7, 5e7, 1e8, 2.5e8, 5e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 5e10, 1e11, 2e11, 4e11, 8e11};
  return buckets;
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& r, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(r);
}
prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& r, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(r);
}
prometheus::Family<prometheus::Histogram>& Histograms(prometheus::Registry& r, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(r);
}

// "RUNNING" -> "running", "NODE_OK" -> "ok".
std::string Label(std::string name) {
  for (const char* prefix : {"NODE_CONDITION_", "NODE_USE_", "NODE_"})
    if (name.rfind(prefix, 0) == 0) name = name.substr(std::string(prefix).size());
  return absl::AsciiStrToLower(name);
}

}  // namespace

PrometheusMetrics::PrometheusMetrics(std::shared_ptr<prometheus::Registry> registry, const std::string& version)
    : registry_(std::move(registry)),
      jobs_(Gauges(*registry_, "muster_jobs", "Jobs that are known, by phase.")),
      nodes_use_(Gauges(*registry_, "muster_nodes", "Registered nodes, by use.")),
      nodes_condition_(Gauges(*registry_, "muster_node_conditions", "Registered nodes, by condition.")),
      queue_depth_(Gauges(*registry_, "muster_queue_depth", "Jobs that wait in the queue for nodes.").Add({})),
      waiting_calls_(Gauges(*registry_, "muster_waiting_calls", "Long polls that are held.").Add({})),
      events_waiting_(Gauges(*registry_, "muster_events_waiting", "Events that the loop has not taken yet.").Add({})),
      members_missing_(Gauges(*registry_, "muster_members_missing", "Members that assembling jobs wait for.").Add({})),
      store_failing_(Gauges(*registry_, "muster_store_failing", "1 while the store takes no commits.").Add({})),
      phase_seconds_(
          Histograms(*registry_, "muster_phase_seconds", "Time that jobs spent in a phase, by the phase they left.")),
      handshake_(Histograms(*registry_, "muster_handshake_seconds",
                            "From a GetRank call that was held to its answer with ranks.")
                     .Add({}, Waits())),
      queue_wait_(
          Histograms(*registry_, "muster_queue_wait_seconds", "From submission to a placement.").Add({}, Waits())),
      placements_(Counters(*registry_, "muster_placements_total", "Placements that were made.").Add({})),
      releases_(Counters(*registry_, "muster_releases_total", "Gangs that were released.").Add({})),
      placement_cost_(Gauges(*registry_, "muster_placement_cost", "Traffic cost of the latest placement.").Add({})),
      crossing_groups_(Gauges(*registry_, "muster_placement_crossing_groups",
                              "Groups of the latest placement that cross domains, by family and tier.")),
      crossing_edges_(Gauges(*registry_, "muster_placement_crossing_edges",
                             "Edges of the latest placement that cross domains, by family and tier.")),
      tests_(Counters(*registry_, "muster_self_tests_total", "Self-tests that concluded, by verdict.")),
      bandwidth_(Histograms(*registry_, "muster_self_test_busbw_bytes_per_second",
                            "Median bus bandwidth of the families that self-tests measured.")),
      commits_(Counters(*registry_, "muster_commits_total", "Commits of the loop's turns, by result.")),
      turn_commit_(Histograms(*registry_, "muster_turn_commit_seconds", "From the end of a turn to its commit.")
                       .Add({}, Calls())),
      store_commit_(
          Histograms(*registry_, "muster_store_commit_seconds", "One transaction of the store.").Add({}, Calls())),
      store_batches_(Histograms(*registry_, "muster_store_commit_batches", "Batches that one transaction took.")
                         .Add({}, Buckets{1, 2, 4, 8, 16, 32, 64, 128, 256, 1024})),
      refused_(Counters(*registry_, "muster_connections_refused_total",
                        "Connections that were closed at once for want of descriptors.")
                   .Add({})),
      rpcs_(Counters(*registry_, "muster_rpcs_total", "RPCs that ended, by method and code.")),
      rpc_seconds_(Histograms(*registry_, "muster_rpc_seconds", "Time of RPCs, long polls included, by method.")) {
  Gauges(*registry_, "muster_build_info", "1, with the build's version.").Add({{"version", version}}).Set(1);
}

void PrometheusMetrics::Level(const Levels& levels) {
  for (int phase = v1::QUEUED; phase <= v1::FINISHED; ++phase) {
    const auto found = levels.jobs.find(static_cast<v1::Phase>(phase));
    jobs_.Add({{"phase", Label(v1::Phase_Name(static_cast<v1::Phase>(phase)))}})
        .Set(found == levels.jobs.end() ? 0 : static_cast<double>(found->second));
  }
  for (int use = v1::FREE; use <= v1::NODE_STOPPING; ++use) {
    const auto found = levels.nodes_by_use.find(static_cast<v1::NodeUse>(use));
    nodes_use_.Add({{"use", Label(v1::NodeUse_Name(static_cast<v1::NodeUse>(use)))}})
        .Set(found == levels.nodes_by_use.end() ? 0 : static_cast<double>(found->second));
  }
  for (int condition = v1::NODE_OK; condition <= v1::LOST; ++condition) {
    const auto found = levels.nodes_by_condition.find(static_cast<v1::NodeCondition>(condition));
    nodes_condition_.Add({{"condition", Label(v1::NodeCondition_Name(static_cast<v1::NodeCondition>(condition)))}})
        .Set(found == levels.nodes_by_condition.end() ? 0 : static_cast<double>(found->second));
  }
  queue_depth_.Set(static_cast<double>(levels.queue_depth));
  waiting_calls_.Set(static_cast<double>(levels.waiting_calls));
  events_waiting_.Set(static_cast<double>(levels.events_waiting));
  members_missing_.Set(static_cast<double>(levels.members_missing));
  store_failing_.Set(levels.store_failing ? 1 : 0);
}

void PrometheusMetrics::PhaseLeft(v1::Phase phase, absl::Duration took) {
  phase_seconds_.Add({{"phase", Label(v1::Phase_Name(phase))}}, Waits()).Observe(absl::ToDoubleSeconds(took));
}

void PrometheusMetrics::Handshake(absl::Duration took) { handshake_.Observe(absl::ToDoubleSeconds(took)); }

std::string PrometheusMetrics::FamilyLabel(const std::string& family) {
  const auto found = families_.find(family);
  if (found != families_.end()) return found->second;
  if (families_.size() >= kFamilies) return "other";
  return families_[family] = family;
}

void PrometheusMetrics::Placed(const v1::Placement& placement, absl::Duration waited) {
  placements_.Increment();
  queue_wait_.Observe(absl::ToDoubleSeconds(waited));
  placement_cost_.Set(static_cast<double>(placement.cost()));
  MutexLock lock(&mu_);
  for (const v1::FamilyCrossings& crossings : placement.crossings()) {
    const std::string family = FamilyLabel(crossings.family());
    for (const auto& tier : crossings.tiers()) {
      const Labels labels{{"family", family}, {"tier", tier.tier()}};
      crossing_groups_.Add(labels).Set(static_cast<double>(tier.crossing_groups()));
      crossing_edges_.Add(labels).Set(static_cast<double>(tier.crossing_edges()));
    }
  }
}

void PrometheusMetrics::Tested(const v1::Receipt& receipt) {
  tests_.Add({{"verdict", Label(v1::TestVerdict_Name(receipt.verdict()))}}).Increment();
  MutexLock lock(&mu_);
  for (const v1::FamilyResult& result : receipt.families())
    if (result.measured())
      bandwidth_.Add({{"family", FamilyLabel(result.family())}}, Bandwidths()).Observe(result.median_gbps() * 1e9);
}

void PrometheusMetrics::Released() { releases_.Increment(); }

void PrometheusMetrics::Committed(absl::Duration took, bool ok) {
  commits_.Add({{"result", ok ? "ok" : "failed"}}).Increment();
  if (ok) turn_commit_.Observe(absl::ToDoubleSeconds(took));
}

void PrometheusMetrics::Ended(const char* method, absl::StatusCode code, absl::Duration took) {
  rpcs_.Add({{"method", method}, {"code", absl::StatusCodeToString(code)}}).Increment();
  rpc_seconds_.Add({{"method", method}}, Calls()).Observe(absl::ToDoubleSeconds(took));
}

void PrometheusMetrics::ConnectionRefused() { refused_.Increment(); }

void PrometheusMetrics::StoreCommitted(const store::CommitStats& stats) {
  store_commit_.Observe(stats.seconds);
  store_batches_.Observe(static_cast<double>(stats.batches));
}

}  // namespace muster::metrics
