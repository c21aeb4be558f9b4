#pragma once
// What placement sees of the nodes: their place in the topology, what fits on them, and whether they can be had.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/ids.h"
#include "lib/topology/topology.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::placement {

// What changes only when a node registers anew.
struct NodeFacts {
  NodeUid uid;
  std::string address;
  std::map<std::string, std::string> labels;
  // Workers that fit: capacity "gpu", else the number of accelerators.
  int64_t slots = 0;
};

// What changes with every job.
struct NodeState {
  bool free = true;    // no gang has it
  bool ok = true;      // neither draining nor quarantined nor lost
  std::string holder;  // namespace/name of the job that has it
  std::string reason;  // why it isn't ok, in words: "quarantined: NIC mlx5_3 slow"
};

// A value: copy it, change states, ask "what if". Topology and facts are shared between copies.
struct Cluster {
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const std::vector<NodeFacts>> facts;  // by NodeIndex
  std::vector<NodeState> states;                        // by NodeIndex

  const NodeFacts& facts_of(NodeIndex node) const { return (*facts)[node.value()]; }
  NodeState& state_of(NodeIndex node) { return states[node.value()]; }
  const NodeState& state_of(NodeIndex node) const { return states[node.value()]; }
  bool Available(NodeIndex node) const { return state_of(node).free && state_of(node).ok; }
};

// An unspecified use is FREE and an unspecified condition NODE_OK, as in a file that says nothing of them.
// INVALID_ARGUMENT as Topology::Create, and for a repeated uid or a negative capacity.
absl::StatusOr<Cluster> MakeCluster(const Tiers& tiers, const std::vector<v1::Node>& nodes);

}  // namespace muster::placement
