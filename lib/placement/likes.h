#pragma once
// Nodes that a job avoids, and those that go first where the cost is equal.

#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/request.h"

namespace muster::placement {

// By NodeIndex; empty: none.
struct Likes {
  std::vector<bool> avoided;
  std::vector<bool> preferred;

  bool Avoids(NodeIndex node) const { return !avoided.empty() && avoided[node.value()]; }
  bool Prefers(NodeIndex node) const { return !preferred.empty() && preferred[node.value()]; }
  // 0: goes first; 2: avoided.
  int Rank(NodeIndex node) const { return Avoids(node) ? 2 : Prefers(node) ? 0 : 1; }
};

// Names that the cluster doesn't have are passed over: they are wishes from a history that may be older than the
// cluster.
Likes LikesOf(const Request& request, const Cluster& cluster);

}  // namespace muster::placement
