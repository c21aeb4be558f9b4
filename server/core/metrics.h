#pragma once
// What the core counts, without knowing who shows it. Called on the loop unless said; must be quick.

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/node.pb.h"
#include "proto/muster/v1/placement.pb.h"
#include "proto/muster/v1/receipt.pb.h"

namespace muster::core {

class Metrics {
 public:
  virtual ~Metrics() = default;

  // The whole of what is, after each turn that changed something.
  struct Levels {
    std::map<v1::Phase, int64_t> jobs;
    std::map<v1::NodeUse, int64_t> nodes_by_use;
    std::map<v1::NodeCondition, int64_t> nodes_by_condition;
    int64_t queue_depth = 0;
    int64_t waiting_calls = 0;
    int64_t members_missing = 0;
    int64_t events_waiting = 0;
    bool store_failing = false;
  };
  virtual void Level(const Levels&) {}

  // A job left `phase` after `took`.
  virtual void PhaseLeft(v1::Phase, absl::Duration) {}
  // From a member's first GetRank call for an epoch to its answer.
  virtual void Handshake(absl::Duration) {}
  virtual void Placed(const v1::Placement&, absl::Duration) {}
  virtual void Tested(const v1::Receipt&) {}
  virtual void Released() {}
  // One turn's commit, from the hand-over to the store to its end.
  virtual void Committed(absl::Duration, bool) {}
};

}  // namespace muster::core
