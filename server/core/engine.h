#pragma once
// What the core decides by itself: which jobs start where (lib/queue, lib/placement), which node fills a gap, what is
// tested. Reads the tables, changes none: its answers are events for the gangs. Loop only.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/gang/event.h"
#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "lib/queue/policy.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/placement.pb.h"
#include "server/core/id_maker.h"
#include "server/core/job_table.h"
#include "server/core/node_table.h"
#include "server/core/receipts.h"

namespace muster::core {

class Engine {
 public:
  // What the placement sees of the inventory; the topology is made anew only when nodes change.
  placement::Cluster ClusterOf(const NodeTable& nodes, JobTable& jobs);

  // Events for jobs that wait for nodes: repairs, then the queue; and for those that have to make room. Sets
  // queue_position, waits_for and starts_by of those that wait on.
  std::vector<std::pair<JobKey, gang::Event>> Place(NodeTable& nodes, JobTable& jobs, const queue::Policy& policy,
                                                    absl::Time now);

  // For a job that wants a test plan: ReceiptFound, TestPlanned (with the setting of its test), or nothing yet.
  struct Plan {
    gang::Event event;
    std::optional<selftest::Setting> setting;
  };
  absl::StatusOr<Plan> PlanTest(const Job& job, const NodeTable& nodes, const Receipts& receipts, IdMaker& ids,
                                absl::Time now) const;

  // What the job's test, on this placement, is of.
  static selftest::Setting SettingOf(const Job& job, const NodeTable& nodes, gang::PlacementPtr placement, TestId test,
                                     uint64_t seed);

 private:
  uint64_t version_ = 0;
  std::optional<placement::Cluster> cluster_;
};

}  // namespace muster::core
