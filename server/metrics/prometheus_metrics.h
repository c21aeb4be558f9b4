#pragma once
// The coordinator's metrics in a Prometheus registry. Cardinality is bounded: labels are phases, uses, conditions,
// methods, codes, verdicts, tier names and mesh families; never a job, node or member.

#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>

#include "lib/base/mutex.h"
#include "server/core/metrics.h"
#include "server/services/rpc_metrics.h"
#include "server/store/sqlite_store.h"

namespace muster::metrics {

class PrometheusMetrics final : public core::Metrics, public services::RpcMetrics {
 public:
  explicit PrometheusMetrics(std::shared_ptr<prometheus::Registry> registry, const std::string& version);

  void Level(const Levels& levels) override;
  void PhaseLeft(v1::Phase phase, absl::Duration took) override;
  void Handshake(absl::Duration took) override;
  void Placed(const v1::Placement& placement, absl::Duration waited) override;
  void Tested(const v1::Receipt& receipt) override;
  void Released() override;
  void Committed(absl::Duration took, bool ok) override;

  void Ended(const char* method, absl::StatusCode code, absl::Duration took) override;
  void ConnectionRefused() override;

  // Of the store's writer thread.
  void StoreCommitted(const store::CommitStats& stats);

 private:
  // Names of families that jobs give themselves (torch, nemo) are many: past so many, the rest is "other".
  std::string FamilyLabel(const std::string& family) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  template <typename T>
  using Family = prometheus::Family<T>&;

  const std::shared_ptr<prometheus::Registry> registry_;
  Family<prometheus::Gauge> jobs_, nodes_use_, nodes_condition_;
  prometheus::Gauge &queue_depth_, &waiting_calls_, &events_waiting_, &members_missing_, &store_failing_;
  Family<prometheus::Histogram> phase_seconds_;
  prometheus::Histogram &handshake_, &queue_wait_;
  prometheus::Counter &placements_, &releases_;
  prometheus::Gauge& placement_cost_;
  Family<prometheus::Gauge> crossing_groups_, crossing_edges_;
  Family<prometheus::Counter> tests_;
  Family<prometheus::Histogram> bandwidth_;
  Family<prometheus::Counter> commits_;
  prometheus::Histogram &turn_commit_, &store_commit_, &store_batches_;
  prometheus::Counter& refused_;
  Family<prometheus::Counter> rpcs_;
  Family<prometheus::Histogram> rpc_seconds_;

  Mutex mu_;
  std::map<std::string, std::string> families_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::metrics
