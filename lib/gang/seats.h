#pragma once
// Which member may take which node rank of a placement, in a form that answers in O(log n).

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::gang {

// Whether node rank = pod index by construction: asked for, or because agents start index i on the node of rank i.
bool SeatedByIndex(const v1::JobSpec& spec);

// A function of the placement alone; immutable.
class Seats {
 public:
  struct Node {
    NodeUid uid;
    std::string name;
    std::string address;
    std::vector<NodeRank> ranks;  // ascending
  };

  // `by_index`: node rank = pod index. Else the pod indexes that the placement names, if they are a permutation; else
  // by the node that a member is on, members of one node in the order of their indexes.
  Seats(const v1::Placement& placement, bool by_index);

  // In the order of their first rank.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node* FindUid(const NodeUid& uid) const;
  const Node* FindName(const std::string& name) const;

  // Whether the member may run on the node of that name. An empty name fits where the index alone decides.
  bool Fits(PodIndex index, const std::string& node) const;
  // At most three names of nodes where the member belongs.
  std::vector<std::string> NodesFor(PodIndex index) const;

  // The node rank of each index, given each index's node: a bijection, or nullopt if some node has more or fewer
  // members than ranks; then the indexes that are too many on their nodes (the greatest ones) are in `surplus`.
  std::optional<std::vector<NodeRank>> Rank(const std::vector<std::string>& node_by_index,
                                            std::set<PodIndex>* surplus) const;

 private:
  std::vector<Node> nodes_;
  std::map<NodeUid, size_t> by_uid_;
  std::map<std::string, size_t> by_name_;
  std::vector<size_t> node_of_rank_;
  // By pod index; empty: found by node.
  std::vector<NodeRank> fixed_;
};

}  // namespace muster::gang
