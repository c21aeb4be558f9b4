#include "lib/queue/demand.h"

#include <algorithm>
#include <utility>

#include "lib/placement/room.h"

namespace muster::queue {
namespace {

int RequiredTier(const placement::Request& request, const Tiers& tiers) {
  const absl::optional<size_t> tier = tiers.Find(request.spec.placement().required());
  return tier ? static_cast<int>(*tier) : kNoTier;
}

}  // namespace

Demand::Demand(const placement::Request& request, const placement::Cluster& cluster,
               std::shared_ptr<const NodeSet> eligible)
    : request_(&request),
      topology_(cluster.topology.get()),
      eligible_(std::move(eligible)),
      rules_(placement::RulesOf(request, *cluster.topology)),
      spares_(std::max(request.spec.placement().spares(), 0)) {
  const placement::Room ever(*topology_, *eligible_, rules_, request_->units, spares_);
  for (const DomainIndex domain : placement::DomainsAllowed(*topology_, RequiredTier(request, topology_->tiers()))) {
    if (ever.MayHold(domain)) domains_.push_back(domain);
  }
}

bool Demand::Fits(const NodeSet& usable) const {
  const placement::Room room(*topology_, usable, rules_, request_->units, spares_);
  return std::any_of(domains_.begin(), domains_.end(), [&](DomainIndex domain) { return room.Holds(domain); });
}

bool Demand::FitsIn(DomainIndex domain, const NodeSet& usable) const {
  return placement::Room(*topology_, usable, rules_, request_->units, spares_).Holds(domain);
}

}  // namespace muster::queue
