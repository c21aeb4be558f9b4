#pragma once
// What a job asks of a set of nodes, by counting alone: whether they hold it, not how well.

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/request.h"
#include "lib/placement/rules.h"
#include "lib/topology/topology.h"

namespace muster::queue {

// By NodeIndex.
using NodeSet = std::vector<bool>;

class Demand {
 public:
  // `eligible`: EligibleNodes of the request on the cluster. References are kept. The request names no unknown tier.
  Demand(const placement::Request& request, const placement::Cluster& cluster, std::shared_ptr<const NodeSet> eligible);

  const placement::Request& request() const { return *request_; }
  const NodeSet& eligible() const { return *eligible_; }
  // Nodes, spares included.
  int64_t nodes() const { return int64_t{request_->units} + spares_; }
  // Domains that each could hold the gang whole, if all of their eligible nodes were free.
  const std::vector<DomainIndex>& domains() const { return domains_; }
  // Whether a number of nodes alone doesn't tell if it fits.
  bool ruled() const { return !rules_.empty(); }

  // Exact. `usable` holds eligible nodes only.
  bool Fits(const NodeSet& usable) const;
  bool FitsIn(DomainIndex domain, const NodeSet& usable) const;
  // Whether any state of these nodes can hold it.
  bool EverFits() const { return !domains_.empty(); }

 private:
  const placement::Request* request_;
  const Topology* topology_;
  std::shared_ptr<const NodeSet> eligible_;
  placement::Rules rules_;
  int32_t spares_ = 0;
  std::vector<DomainIndex> domains_;
};

}  // namespace muster::queue
