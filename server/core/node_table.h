#pragma once
// The inventory: registered nodes, what they are used for and in what condition they are. Loop only.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"
#include "lib/topology/natural_order.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/node.pb.h"
#include "server/core/keys.h"

namespace muster::core {

struct NodeEntry {
  v1::NodeInfo info;
  NodeUid uid;
  // Of the agent; a later start is greater.
  gang::Incarnation session;

  // What people and self-tests set: NODE_OK, DRAINING or QUARANTINED.
  v1::NodeCondition set = v1::NODE_OK;
  std::string reason;
  absl::Time until = absl::InfiniteFuture();
  std::string set_by;
  // The quarantine ends when this job's stop on the node is confirmed; empty: not of that kind.
  std::string stop_of;

  // Its agent does not come for orders: it was not heard for a lease, or has only registered so far. Ends when it
  // comes.
  bool lost = true;

  // Soft, but for what a lost node's record has: when the agent was last heard; InfinitePast: not by this coordinator.
  absl::Time last_seen = absl::InfinitePast();
  // The lease runs from here: the agent came for orders, or the coordinator started.
  absl::Time lease_from = absl::InfinitePast();
  // Registrations since it last came for orders, and the greatest term in what it said it had taken.
  int32_t registrations = 0;
  Term seen_term;
  // Jobs that hold it, as what.
  std::map<JobKey, v1::NodeUse> users;

  v1::NodeCondition condition() const { return set == v1::NODE_OK && lost ? v1::LOST : set; }
  bool ok() const { return set == v1::NODE_OK && !lost; }
  // What is known of a lost node's agent; `term` is this coordinator's.
  std::string WhyLost(Term term) const;
  v1::NodeUse use() const;
};

class NodeTable {
 public:
  // `term` is the coordinator's.
  NodeTable(Tiers tiers, Term term) : tiers_(std::move(tiers)), term_(term) {}

  const Tiers& tiers() const { return tiers_; }
  Term term() const { return term_; }

  NodeEntry* Find(const NodeUid& uid);
  NodeEntry* FindName(const std::string& name);
  // NOT_FOUND with the nearest name.
  absl::StatusOr<NodeEntry*> Named(const std::string& name);

  // Puts the node in, or what it says of itself anew. INVALID_ARGUMENT: another node has the name.
  absl::StatusOr<NodeEntry*> Put(const NodeUid& uid, const v1::NodeInfo& info);

  // The set of holders of a job's nodes is now `holds`; `before` is what it was.
  void SetHolds(JobKey job, const std::map<NodeUid, v1::NodeUse>& before, const std::map<NodeUid, v1::NodeUse>& holds);

  // By name in natural order.
  const std::map<std::string, NodeEntry*, NaturalLess>& by_name() const { return by_name_; }
  size_t size() const { return nodes_.size(); }
  // Grows when a node's name, labels, address, accelerators or capacity changes, or nodes come: what a topology is made
  // of.
  uint64_t facts_version() const { return facts_version_; }

  // Without the job's name.
  v1::Node View(const NodeEntry& node) const;

  // Quarantines with an expiry, by expiry.
  absl::Time NextExpiry() const;
  std::vector<NodeUid> Expired(absl::Time now) const;

 private:
  Tiers tiers_;
  const Term term_;
  std::map<NodeUid, std::unique_ptr<NodeEntry>> nodes_;
  std::map<std::string, NodeEntry*, NaturalLess> by_name_;
  uint64_t facts_version_ = 1;
};

}  // namespace muster::core
