#include "lib/placement/place.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/assign.h"
#include "lib/placement/bound.h"
#include "lib/placement/feasible.h"
#include "lib/placement/report.h"
#include "lib/placement/room.h"
#include "lib/placement/spares.h"

namespace muster::placement {
namespace {

// Steps of one call of Place: looks at edges (assign.h).
constexpr int64_t kOrderSteps = 3'000'000;
constexpr int64_t kDescentSteps = 3'000'000;
// Domains of the lowest tier that are searched, tightest first; and sequences a domain.
constexpr size_t kMaxDomains = 8;
constexpr size_t kMaxSequences = 24;
// Assignments of a domain that small moves are tried on.
constexpr size_t kMaxImproved = 4;

// One placement, and how good it is: less is better, field by field.
struct Candidate {
  int64_t preferred = 0;
  int64_t cost = 0;
  std::vector<int64_t> spread;  // without traffic: domains touched, coarse to fine
  int64_t frag = 0;
  std::vector<NodeIndex> names;  // ascending
  Units units;
  std::vector<NodeIndex> spares;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(a.preferred, a.cost, a.spread, a.frag, a.names, a.units) <
           std::tie(b.preferred, b.cost, b.spread, b.frag, b.names, b.units);
  }
};

std::vector<bool> AvailableNodes(const Cluster& cluster) {
  std::vector<bool> available(cluster.states.size());
  for (size_t i = 0; i < available.size(); ++i) available[i] = cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  return available;
}

// The lowest domains that hold the gang, tightest first.
std::vector<DomainIndex> LowestThatFit(const Question& q, const Room& room) {
  const Topology& topology = *q.cluster->topology;
  std::vector<DomainIndex> found;
  int lowest = kNoTier;
  for (const DomainIndex allowed : DomainsAllowed(topology, q.required_tier)) {
    for (int32_t d = allowed.value(); d < topology.domain(allowed).last_domain; ++d) {
      const int tier = topology.domains()[d].tier;
      if (tier < lowest || !room.Holds(DomainIndex(d), q.request->units, q.spares)) continue;
      if (tier > lowest) found.clear();
      lowest = tier;
      found.push_back(DomainIndex(d));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](DomainIndex a, DomainIndex b) { return room.nodes(a) < room.nodes(b); });
  if (found.size() > kMaxDomains) found.resize(kMaxDomains);
  return found;
}

class Search {
 public:
  Search(const Question& question, const HopCosts& costs)
      : q_(question),
        topology_(*question.cluster->topology),
        costs_(costs),
        room_(topology_, question.usable, question.rules),
        available_(AvailableNodes(*question.cluster)) {}

  // Precondition: it fits.
  Placed Run() {
    const std::vector<DomainIndex> domains = LowestThatFit(q_, room_);
    const auto share = static_cast<int64_t>(domains.size());
    std::vector<Candidate> best;  // none or one
    DomainIndex where = domains.front();
    for (const DomainIndex domain : domains) {
      for (Candidate& candidate : InDomain(domain, kOrderSteps / share, kDescentSteps / share)) {
        if (!best.empty() && !(candidate < best[0])) continue;
        best = {std::move(candidate)};
        where = domain;
      }
    }
    Placed placed;
    placed.placement = Report(*q_.request, *q_.cluster, costs_, best[0].units, best[0].spares);
    placed.placement.set_alternatives(alternatives_);
    placed.placement.set_reason(Reason(where));
    placed.placement.set_bound_known(true);
    placed.placement.set_lower_bound(LowerBound(q_.request->traffic, q_.request->units, topology_, costs_, q_.usable,
                                                DomainsAllowed(topology_, q_.required_tier)));
    placed.units = std::move(best[0].units);
    placed.spares = std::move(best[0].spares);
    return placed;
  }

 private:
  std::vector<Candidate> InDomain(DomainIndex domain, int64_t order_steps, int64_t descent_steps) {
    const Site site(topology_, costs_, q_.rules, domain, q_.usable);
    const std::vector<Sequence> sequences = CandidateSequences(site, q_.request->units, kMaxSequences);
    std::vector<Candidate> candidates;
    if (q_.request->spec.placement().rank_by() == v1::PlacementSpec::INDEX) {
      for (const Sequence& sequence : sequences) {
        ++alternatives_;
        candidates.push_back(Rate(domain, ByName(site, sequence)));
      }
      return candidates;
    }
    std::vector<Assignment> assignments;
    for (const Sequence& sequence : sequences) {
      Budget budget{order_steps / static_cast<int64_t>(sequences.size()), 0};
      assignments.push_back(Assign(*q_.request, site, sequence, budget));
      alternatives_ += budget.alternatives;
    }
    std::stable_sort(assignments.begin(), assignments.end(),
                     [](const Assignment& a, const Assignment& b) { return a.cost < b.cost; });
    for (size_t i = 0; i < assignments.size(); ++i) {
      candidates.push_back(Rate(domain, site.NodesOf(assignments[i].layout)));
      if (i >= kMaxImproved) continue;
      Budget budget{descent_steps / static_cast<int64_t>(kMaxImproved), 0};
      const Layout before = assignments[i].layout;
      Improve(*q_.request, site, budget, assignments[i]);
      if (assignments[i].layout != before) candidates.push_back(Rate(domain, site.NodesOf(assignments[i].layout)));
    }
    // Never worse than ranks in name order on the same nodes.
    const Candidate& best = *std::min_element(candidates.begin(), candidates.end());
    if (SlicesHold(q_.rules, topology_, best.names)) candidates.push_back(Rate(domain, Units(best.names)));
    return candidates;
  }

  // Units in natural order of the names, unless that breaks a slice: then along the sequence.
  Units ByName(const Site& site, const Sequence& sequence) const {
    Units units = site.NodesOf(sequence);
    Units by_name = units;
    std::sort(by_name.begin(), by_name.end());
    return SlicesHold(q_.rules, topology_, by_name) ? by_name : units;
  }

  Candidate Rate(DomainIndex domain, Units units) const {
    Candidate candidate;
    if (q_.preferred_tier != kNoTier) candidate.preferred = topology_.CountTouched(units, q_.preferred_tier);
    candidate.cost = CostOf(q_.request->traffic, topology_, costs_, units);
    if (q_.request->traffic.items.empty()) {
      const int tiers = static_cast<int>(topology_.tiers().size());
      for (int tier = 0; tier < tiers; ++tier) candidate.spread.push_back(topology_.CountTouched(units, tier));
    }
    candidate.spares = ChooseSpares(topology_, costs_, domain, q_.usable, units, q_.spares);
    candidate.frag = Fragmentation(topology_, available_, units, candidate.spares);
    candidate.names = units;
    std::sort(candidate.names.begin(), candidate.names.end());
    candidate.units = std::move(units);
    return candidate;
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
  const Room room_;
  const std::vector<bool> available_;
  int64_t alternatives_ = 0;
};

}  // namespace

Decision Place(const Request& request, const Cluster& cluster, const HopCosts& costs) {
  Question question;
  if (absl::optional<Never> never = Ask(request, cluster, question)) return *std::move(never);
  if (absl::optional<Decision> why_not = WhyNot(question)) return *std::move(why_not);
  return Search(question, costs).Run();
}

Decision Place(const Request& request, const Cluster& cluster) {
  return Place(request, cluster, HopCosts::Default(cluster.topology->tiers().size()));
}

v1::Feasibility CanPlace(const Request& request, const Cluster& cluster) {
  Question question;
  if (Ask(request, cluster, question)) return v1::NEVER;
  const absl::optional<Decision> why_not = WhyNot(question);
  if (!why_not) return v1::OK;
  return std::holds_alternative<Never>(*why_not) ? v1::NEVER : v1::NOT_NOW;
}

Units RankOver(const Request& request, const Cluster& cluster, const HopCosts& costs,
               const std::vector<NodeIndex>& nodes) {
  Units by_name = nodes;
  std::sort(by_name.begin(), by_name.end());
  if (request.spec.placement().rank_by() == v1::PlacementSpec::INDEX) return by_name;
  std::vector<bool> usable(cluster.topology->size());
  for (const NodeIndex node : nodes) usable[node.value()] = true;
  std::vector<SliceRule> rules = SliceRulesOf(request, *cluster.topology);
  // Nodes that can't hold the slices (another scheduler chose them) are laid without them.
  if (Room(*cluster.topology, usable, rules).units(Topology::root()) < request.units) rules.clear();
  const Site site(*cluster.topology, costs, rules, Topology::root(), usable);
  Assignment best;
  for (const Sequence& sequence : CandidateSequences(site, request.units, 2)) {
    Budget budget{kOrderSteps / 2, 0};
    Assignment assignment = Assign(request, site, sequence, budget);
    budget.steps = kDescentSteps / 2;
    Improve(request, site, budget, assignment);
    if (best.layout.empty() || assignment.cost < best.cost) best = std::move(assignment);
  }
  const bool name_order_does = SlicesHold(rules, *cluster.topology, by_name) &&
                               CostOf(request.traffic, *cluster.topology, costs, by_name) <= best.cost;
  return name_order_does ? by_name : site.NodesOf(best.layout);
}

}  // namespace muster::placement
