#include "lib/queue/defragment.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/placement/eligible.h"
#include "lib/placement/place.h"
#include "lib/queue/demand.h"
#include "lib/queue/victims.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::Placed;

std::string NameOf(const Topology& topology, DomainIndex domain) {
  const Domain& d = topology.domain(domain);
  return d.tier == kNoTier ? d.path : absl::StrCat(topology.tiers()[d.tier].name, " ", d.path);
}

std::string WorkText(int64_t node_seconds) {
  return node_seconds < 3600 ? absl::StrCat(node_seconds / 60, " node-minutes")
                             : absl::StrCat(node_seconds / 3600, " node-hours");
}

std::string Sentence(const Proposal& proposal) {
  std::vector<std::string> names;
  for (const Move& move : proposal.moves) {
    names.push_back(absl::StrCat(move.job, " (", move.nodes, move.nodes == 1 ? " node, " : " nodes, ",
                                 WorkText(move.lost), " of work)"));
  }
  return absl::StrCat("moving ", FewNames(names), " elsewhere would make room for it now in ", proposal.domain);
}

// Whether all who have to go find a place outside of the domain; fills in where.
bool MoveOut(const std::vector<Holder>& holders, const Victims& victims, Cluster cluster,
             const placement::HopCosts& costs, absl::Time now, Proposal& proposal) {
  const Topology& topology = *cluster.topology;
  const Domain& domain = topology.domain(victims.domain);
  for (int32_t i = domain.first_node; i < domain.last_node; ++i)
    cluster.state_of(topology.tree_order()[i]).free = false;
  // What they have outside of it is theirs to use again.
  for (const size_t v : victims.holders) {
    for (const NodeIndex node : holders[v].nodes) {
      const absl::Span<const NodeIndex> below = topology.tree_order().subspan(domain.first_node, domain.size());
      if (std::find(below.begin(), below.end(), node) == below.end()) cluster.state_of(node).free = true;
    }
  }
  std::vector<size_t> largest_first = victims.holders;
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](size_t a, size_t b) { return holders[a].nodes.size() > holders[b].nodes.size(); });
  for (const size_t v : largest_first) {
    const Holder& holder = holders[v];
    const placement::Decision decision = placement::Place(*holder.request, cluster, costs);
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr) return false;
    Move move{holder.turn.uid, holder.job, static_cast<int64_t>(holder.nodes.size()), WorkOf(holder, now), {}};
    for (const auto* nodes : {&placed->units, &placed->spares}) {
      for (const NodeIndex node : *nodes) {
        cluster.state_of(node).free = false;
        move.to.push_back(node);
      }
    }
    proposal.lost += move.lost;
    proposal.moves.push_back(std::move(move));
  }
  return true;
}

}  // namespace

std::optional<Proposal> Defragment(const placement::Request& request, const Cluster& cluster,
                                   const std::vector<Holder>& holders, const placement::HopCosts& costs,
                                   absl::Time now) {
  const Demand demand(request, cluster, std::make_shared<const NodeSet>(placement::EligibleNodes(request, cluster)));
  const Horizon horizon(cluster, holders, now);
  const NodeSet free = horizon.Free(demand);
  if (!demand.EverFits() || demand.Fits(free)) return std::nullopt;
  // Where the whole cluster is the domain, there is no elsewhere.
  if (demand.domains().size() == 1 && demand.domains().front() == Topology::root() && !demand.ruled())
    return std::nullopt;
  // No more may move than there is free room for.
  const int64_t room = horizon.CountFree(absl::InfinitePast());
  const std::optional<Victims> victims = ChooseVictims(demand, cluster, free, holders, now, [&](const Holder& holder) {
    return holder.request != nullptr && static_cast<int64_t>(holder.nodes.size()) <= room;
  });
  if (!victims) return std::nullopt;
  Proposal proposal;
  proposal.domain = NameOf(*cluster.topology, victims->domain);
  if (!MoveOut(holders, *victims, cluster, costs, now, proposal)) return std::nullopt;
  proposal.text = Sentence(proposal);
  return proposal;
}

}  // namespace muster::queue
