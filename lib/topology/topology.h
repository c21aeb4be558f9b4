#pragma once
// A snapshot of the cluster's tree: which node is in which domain of which tier.
//
// The domain of a node at tier i is its path up to and including i; it exists only where label i is known. Its parent
// is the next coarser domain that the path knows, so that ragged paths form one tree: two nodes that know no rack share
// no rack, and (z1, unknown, r7) is a rack below z1. The root above all domains is no domain of any tier.
//
// Immutable, shared between threads. Built in O(n log n), whatever the order of the nodes given.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/topology/tiers.h"

namespace muster {

// Place of a node in natural order of the names, 0..n-1.
using NodeIndex = StrongId<struct NodeIndexTag, int32_t>;
// Place of a domain in Topology::domains(): depth first, so that a parent comes before its children.
using DomainIndex = StrongId<struct DomainIndexTag, int32_t>;

// No tier, or no domain: what nodes that share nothing share.
inline constexpr int kNoTier = -1;

struct TopologyNode {
  std::string name;
  TopologyPath path;  // one entry a tier
  // The second dimension: its NVLink or other accelerator domain, which need not nest with the tree (accelerators.h).
  // Empty: unknown, or none.
  std::string accelerator = "";
};

struct Domain {
  int tier = kNoTier;  // kNoTier: the root
  std::string path;    // "b1/r2"; "the cluster" for the root
  DomainIndex parent;  // the root's is itself
  // Below it: first_node..last_node-1 of Topology::tree_order(), and the domains own index+1..last_domain-1.
  int32_t first_node = 0;
  int32_t last_node = 0;
  int32_t last_domain = 0;
  std::vector<DomainIndex> children;  // by tier, then natural order of the label
  // Nodes that no finer domain holds, in natural order.
  std::vector<NodeIndex> own_nodes;
  int32_t size() const { return last_node - first_node; }
};

class Topology {
 public:
  // INVALID_ARGUMENT, naming nodes.NAME: an empty or repeated name, one over 253 characters, a label value over 256, a
  // path with another number of entries than tiers.
  static absl::StatusOr<std::shared_ptr<const Topology>> Create(Tiers tiers, std::vector<TopologyNode> nodes);

  // The snapshot after a change of one node: added or, where there is one of this name, in its place. Equal to Create
  // on all nodes, in O(n) without comparing their paths; nodes are shared with this snapshot. Indexes may shift.
  // INVALID_ARGUMENT as Create.
  absl::StatusOr<std::shared_ptr<const Topology>> With(TopologyNode node) const;
  // Without it; the same snapshot's copy if there is no such node.
  std::shared_ptr<const Topology> Without(absl::string_view name) const;

  const Tiers& tiers() const { return tiers_; }
  int32_t size() const { return static_cast<int32_t>(nodes_.size()); }
  const TopologyNode& node(NodeIndex node) const { return *nodes_[node.value()]; }
  absl::optional<NodeIndex> Find(absl::string_view name) const;

  absl::Span<const Domain> domains() const { return domains_; }
  const Domain& domain(DomainIndex domain) const { return domains_[domain.value()]; }
  static DomainIndex root() { return DomainIndex(0); }
  // The finest domain that holds the node; the root if it knows no label.
  DomainIndex HomeOf(NodeIndex node) const { return homes_[node.value()]; }
  // nullopt: the node's label at this tier is unknown.
  absl::optional<DomainIndex> DomainOf(NodeIndex node, int tier) const;
  // Domains of one tier, in depth-first order.
  std::vector<DomainIndex> DomainsOfTier(int tier) const;

  // Depth first: domains in natural order, a domain's own nodes after its finer domains.
  absl::Span<const NodeIndex> tree_order() const { return tree_order_; }

  // The deepest tier in which both nodes are in one domain; kNoTier if none. A node and itself: its deepest known tier.
  int SharedTier(NodeIndex a, NodeIndex b) const { return SharedTier(HomeOf(a), HomeOf(b)); }
  int SharedTier(DomainIndex a, DomainIndex b) const;

  // How many domains of the tier these nodes touch; one that doesn't know its own counts as a domain of its own.
  int64_t CountTouched(absl::Span<const NodeIndex> nodes, int tier) const;

 private:
  Topology() = default;
  void SortTree();
  // From tree_order_. `homes_before`, unless empty, has an earlier snapshot's home of each node: nodes next to each
  // other with one home there have one path. -1: not known.
  void BuildTree(const std::vector<int32_t>& homes_before);
  // Ends the innermost open domain before tree position `end`.
  void Close(std::vector<DomainIndex>& open, int32_t end);

  Tiers tiers_;
  std::vector<std::shared_ptr<const TopologyNode>> nodes_;  // natural order of the names
  std::vector<Domain> domains_;
  std::vector<DomainIndex> homes_;
  std::vector<NodeIndex> tree_order_;
};

}  // namespace muster
