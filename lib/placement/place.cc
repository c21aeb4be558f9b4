#include "lib/placement/place.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/feasible.h"
#include "lib/placement/penalties.h"
#include "lib/placement/report.h"
#include "lib/placement/room.h"
#include "lib/placement/score.h"
#include "lib/placement/search.h"
#include "lib/placement/site.h"
#include "lib/placement/spares.h"

namespace muster::placement {
namespace {

// Domains of the required tier that are searched, those of the least bound.
constexpr int64_t kMaxDomains = 8;

// One placement, and how good it is: less is better, field by field.
struct Candidate {
  Score score;
  std::vector<int64_t> spread;   // without traffic: domains touched, coarse to fine
  std::vector<NodeIndex> names;  // ascending
  Units units;
  std::vector<NodeIndex> spares;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    const int64_t cost_a = a.score.total();
    const int64_t cost_b = b.score.total();
    return std::tie(a.score.avoided, cost_a, a.spread, a.score.not_preferred, a.score.frag, a.names, a.units) <
           std::tie(b.score.avoided, cost_b, b.spread, b.score.not_preferred, b.score.frag, b.names, b.units);
  }
};

std::vector<bool> AvailableNodes(const Cluster& cluster) {
  std::vector<bool> available(cluster.states.size());
  for (size_t i = 0; i < available.size(); ++i) available[i] = cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  return available;
}

// All wishes of a job, for a site below `top`.
Wishes WishesOf(const Question& q, const HopCosts& costs, DomainIndex top) {
  Wishes wishes;
  // Above or at the site's own tier the preferred tier can't tell placements apart.
  if (q.preferred_tier > q.cluster->topology->domain(top).tier) wishes.preferred_tier = q.preferred_tier;
  wishes.preferred_penalty = PreferredPenalty(*q.request, costs);
  // Without traffic the least spread comes first; spares then go as near as can be.
  if (!q.request->traffic.items.empty()) {
    wishes.spares = q.spares;
    wishes.spare_weight = q.request->spare_weight;
  }
  if (!q.likes.avoided.empty()) wishes.avoid_penalty = AvoidPenalty(*q.request, costs, q.spares);
  return wishes;
}

class Chooser {
 public:
  Chooser(const Question& question, const HopCosts& costs, const SearchOptions& options)
      : q_(question),
        topology_(*question.cluster->topology),
        costs_(costs),
        budget_{options.steps, 0},
        room_(topology_, question.usable, question.rules, question.request->units, question.spares),
        idle_(AvailableNodes(*question.cluster)),
        graph_(question.request->traffic, question.request->units),
        borders_(question.request->traffic, question.request->units, costs, static_cast<int>(topology_.tiers().size()),
                 question.rules.slices),
        whole_(WishesOf(question, costs, Topology::root())) {}

  // Precondition: it fits.
  Placed Run() {
    std::vector<DomainIndex> tops;
    for (const DomainIndex domain : DomainsAllowed(topology_, q_.required_tier)) {
      if (room_.Holds(domain)) tops.push_back(domain);
    }
    std::vector<std::unique_ptr<Site>> sites;
    std::vector<std::unique_ptr<SiteSearch>> searches;
    for (const DomainIndex top : tops) {
      sites.push_back(std::make_unique<Site>(topology_, costs_, q_.rules, top, q_.usable, idle_, q_.likes));
      searches.push_back(std::make_unique<SiteSearch>(SearchTask{
          &q_.request->traffic, &graph_, &borders_, sites.back().get(), WishesOf(q_, costs_, top), q_.request->units}));
    }
    std::vector<size_t> order(tops.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return searches[a]->bound() < searches[b]->bound(); });
    const int64_t bound = searches[order[0]]->bound();
    const int64_t given = budget_.steps;
    for (size_t i = 0; i < order.size(); ++i) {
      if (!best_.empty() && searches[order[i]]->bound() > best_[0].score.total()) break;
      const int64_t share = budget_.steps / std::min<int64_t>(order.size() - i, kMaxDomains);
      Budget budget{share, 0};
      Consider(*sites[order[i]], searches[order[i]]->Run(budget));
      budget_.steps -= share - budget.steps;
      budget_.alternatives += budget.alternatives;
      if (budget_.steps <= 0) break;
    }
    Candidate& best = best_[0];
    Placed placed;
    placed.placement = Report(*q_.request, *q_.cluster, costs_, best.units, best.spares);
    placed.placement.set_alternatives(budget_.alternatives);
    placed.placement.set_reason(Reason(HomeOf(best)));
    placed.placement.set_bound_known(true);
    placed.placement.set_lower_bound(TrafficBound(sites, bound));
    placed.score = best.score;
    placed.bound = bound;
    placed.steps = given - budget_.steps;
    placed.units = std::move(best.units);
    placed.spares = std::move(best.spares);
    return placed;
  }

 private:
  // What no traffic costs less than: wishes may pull a placement away from that.
  int64_t TrafficBound(const std::vector<std::unique_ptr<Site>>& sites, int64_t bound) {
    if (whole_.preferred_tier == kNoTier && whole_.spares == 0 && whole_.avoid_penalty == 0)
      return std::max<int64_t>(bound, 0);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const std::unique_ptr<Site>& site : sites) {
      const SearchTask task{&q_.request->traffic, &graph_, &borders_, site.get(), Wishes(), q_.request->units};
      least = std::min(least, SiteSearch(task).bound());
    }
    return std::max<int64_t>(least, 0);
  }

  void Consider(const Site& site, const std::vector<Found>& found) {
    for (const Found& each : found) {
      Units units = site.NodesOf(each.layout);
      std::vector<NodeIndex> spares = SparesOf(site, each, units);
      Units by_name = units;
      std::sort(by_name.begin(), by_name.end());
      const bool name_order = RulesHold(q_.rules, topology_, by_name);
      const bool by_index = q_.request->spec.placement().rank_by() == v1::PlacementSpec::INDEX;
      if (name_order) Rate(std::move(by_name), spares);
      if (!name_order || !by_index) Rate(std::move(units), std::move(spares));
    }
  }

  // The counted ones where the search put them, the rest as near as can be.
  std::vector<NodeIndex> SparesOf(const Site& site, const Found& found, const Units& units) const {
    std::vector<size_t> taken(site.slots().size());
    for (const int32_t slot : found.layout) ++taken[slot];
    std::vector<NodeIndex> spares;
    Units held = units;
    for (const int32_t slot : found.spares) {
      spares.push_back(site.slots()[slot].nodes[taken[slot]++]);
      held.push_back(spares.back());
    }
    const auto more = q_.spares - static_cast<int32_t>(spares.size());
    const DomainIndex top = site.domains()[0].domain;
    for (const NodeIndex spare : ChooseSpares(topology_, costs_, top, q_.usable, held, more, q_.likes))
      spares.push_back(spare);
    return spares;
  }

  void Rate(Units units, std::vector<NodeIndex> spares) {
    Candidate candidate;
    candidate.score = ScoreOf(q_.request->traffic, topology_, costs_, whole_, idle_, units, spares, q_.likes);
    if (q_.request->traffic.items.empty()) {
      const int tiers = static_cast<int>(topology_.tiers().size());
      for (int tier = 0; tier < tiers; ++tier) candidate.spread.push_back(topology_.CountTouched(units, tier));
    }
    candidate.names = units;
    std::sort(candidate.names.begin(), candidate.names.end());
    candidate.units = std::move(units);
    candidate.spares = std::move(spares);
    if (best_.empty() || candidate < best_[0]) best_ = {std::move(candidate)};
  }

  // The lowest domain that holds all of it.
  DomainIndex HomeOf(const Candidate& candidate) const {
    DomainIndex home = topology_.HomeOf(candidate.units[0]);
    for (const auto* nodes : {&candidate.units, &candidate.spares}) {
      for (const NodeIndex node : *nodes) {
        while (topology_.HomeOf(node) < home || topology_.HomeOf(node).value() >= topology_.domain(home).last_domain) {
          home = topology_.domain(home).parent;
        }
      }
    }
    return home;
  }

  std::string Name(DomainIndex domain) const {
    const Domain& d = topology_.domain(domain);
    return d.tier == kNoTier ? d.path : absl::StrCat(topology_.tiers()[d.tier].name, " ", d.path);
  }

  // "placed on 8 of the 10 free nodes of block b1, the lowest domain that fits (free: r1 4, r2 4, r3 2; 20 in all)".
  std::string Reason(DomainIndex where) const {
    const Domain& domain = topology_.domain(where);
    std::string text =
        absl::StrCat("placed on ", q_.request->units, " of the ", room_.nodes(where), " free nodes of ", Name(where));
    if (q_.spares > 0) absl::StrAppend(&text, ", with ", q_.spares, q_.spares == 1 ? " spare" : " spares");
    absl::StrAppend(&text, where == Topology::root() ? "" : ", the lowest domain that fits");
    std::vector<std::string> children;
    for (const DomainIndex child : domain.children) {
      if (room_.nodes(child) == 0) continue;
      const std::string& path = topology_.domain(child).path;
      children.push_back(absl::StrCat(path.substr(path.rfind('/') + 1), " ", room_.nodes(child)));
    }
    if (!children.empty()) absl::StrAppend(&text, " (free: ", FewNames(children, 4));
    if (where != Topology::root()) {
      absl::StrAppend(&text, children.empty() ? " (" : "; ", room_.nodes(Topology::root()), " in all");
    }
    if (!children.empty() || where != Topology::root()) absl::StrAppend(&text, ")");
    return text;
  }

  const Question& q_;
  const Topology& topology_;
  const HopCosts& costs_;
  Budget budget_;
  const Room room_;
  const std::vector<bool> idle_;
  const UnitGraph graph_;
  BorderCosts borders_;
  const Wishes whole_;
  std::vector<Candidate> best_;  // none or one
};

}  // namespace

Decision Place(const Request& request, const Cluster& cluster, const HopCosts& costs, const SearchOptions& options) {
  Question question;
  if (absl::optional<Never> never = Ask(request, cluster, question)) return *std::move(never);
  if (absl::optional<Decision> why_not = WhyNot(question)) return *std::move(why_not);
  LeaveOutAvoided(question);
  return Chooser(question, costs, options).Run();
}

Decision Place(const Request& request, const Cluster& cluster) {
  return Place(request, cluster, HopCosts::Of(cluster.topology->tiers()));
}

v1::Feasibility CanPlace(const Request& request, const Cluster& cluster) {
  Question question;
  if (Ask(request, cluster, question)) return v1::NEVER;
  const absl::optional<Decision> why_not = WhyNot(question);
  if (!why_not) return v1::OK;
  return std::holds_alternative<Never>(*why_not) ? v1::NEVER : v1::NOT_NOW;
}

Units RankOver(const Request& request, const Cluster& cluster, const HopCosts& costs,
               const std::vector<NodeIndex>& nodes, const SearchOptions& options) {
  Units by_name = nodes;
  std::sort(by_name.begin(), by_name.end());
  if (request.spec.placement().rank_by() == v1::PlacementSpec::INDEX) return by_name;
  std::vector<bool> usable(cluster.topology->size());
  for (const NodeIndex node : nodes) usable[node.value()] = true;
  Rules rules = RulesOf(request, *cluster.topology);
  // How many units each domain takes is settled. Nodes that can't keep the other rules (another scheduler chose them)
  // are laid without them.
  rules.counts.clear();
  if (!Room(*cluster.topology, usable, rules, request.units, 0).Holds(Topology::root())) rules = Rules();
  const Site site(*cluster.topology, costs, rules, Topology::root(), usable, usable);
  const UnitGraph graph(request.traffic, request.units);
  BorderCosts borders(request.traffic, request.units, costs, static_cast<int>(cluster.topology->tiers().size()),
                      rules.slices);
  Budget budget{options.steps, 0};
  const std::vector<Found> found =
      SiteSearch({&request.traffic, &graph, &borders, &site, Wishes(), request.units}).Run(budget);
  const Layout& best = std::min_element(found.begin(), found.end(), [&](const Found& a, const Found& b) {
                         return site.CostOf(request.traffic, a.layout) < site.CostOf(request.traffic, b.layout);
                       })->layout;
  const bool name_order_does =
      RulesHold(rules, *cluster.topology, by_name) &&
      CostOf(request.traffic, *cluster.topology, costs, by_name) <= site.CostOf(request.traffic, best);
  return name_order_does ? by_name : site.NodesOf(best);
}

}  // namespace muster::placement
