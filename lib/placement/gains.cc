#include "lib/placement/gains.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/placement/eligible.h"
#include "lib/placement/place.h"

namespace muster::placement {
namespace {

constexpr size_t kMaxGains = 8;
constexpr size_t kMaxChanges = 24;
constexpr SearchOptions kSearch{SearchOptions::kDefaultSteps / 8};

// Nodes of one domain that fit but can't be had.
struct Missing {
  DomainIndex domain;
  std::vector<NodeIndex> nodes;
};

// What the placement would cost if no two nodes had anything but the finest tier between them.
int64_t LeastThinkable(const Request& request, const HopCosts& costs) {
  const int finest = static_cast<int>(costs.same_rail.size()) - 2;
  int64_t least = 0;
  for (const UnitEdge& edge : request.traffic.edges) {
    least += edge.same_rail * costs.Same(finest) + edge.cross_rail * costs.Cross(finest);
  }
  return least;
}

// Domains that the placement touches, those with the most units first; then the others next to them.
std::vector<DomainIndex> Around(const Topology& topology, const Units& units) {
  std::map<DomainIndex, int64_t> touched;
  for (const NodeIndex unit : units) ++touched[topology.HomeOf(unit)];
  std::vector<DomainIndex> domains;
  std::set<DomainIndex> parents;
  for (const auto& [domain, count] : touched) {
    domains.push_back(domain);
    parents.insert(topology.domain(domain).parent);
  }
  std::stable_sort(domains.begin(), domains.end(),
                   [&](DomainIndex a, DomainIndex b) { return touched[a] > touched[b]; });
  for (const DomainIndex parent : parents) {
    for (const DomainIndex child : topology.domain(parent).children) {
      if (touched.count(child) == 0 && topology.domain(child).children.empty()) domains.push_back(child);
    }
  }
  return domains;
}

std::vector<Missing> MissingNodes(const Request& request, const Cluster& cluster, const Units& units) {
  const std::vector<bool> eligible = EligibleNodes(request, cluster);
  const Topology& topology = *cluster.topology;
  std::vector<Missing> missing;
  for (const DomainIndex domain : Around(topology, units)) {
    if (topology.domain(domain).tier == kNoTier) continue;
    Missing of{domain, {}};
    for (const NodeIndex node : topology.domain(domain).own_nodes) {
      if (eligible[node.value()] && !cluster.Available(node)) of.nodes.push_back(node);
    }
    if (!of.nodes.empty()) missing.push_back(std::move(of));
  }
  return missing;
}

class Trier {
 public:
  Trier(const Request& request, const Cluster& cluster, const HopCosts& costs, const Placed& placed)
      : request_(request), changed_(cluster), costs_(costs), placed_(placed) {}

  // With so many of these nodes free.
  void Try(const Missing& missing, size_t count, std::string change) {
    const std::vector<NodeState> before = changed_.states;
    for (size_t i = 0; i < count; ++i) {
      NodeState& state = changed_.state_of(missing.nodes[i]);
      state.free = state.ok = true;
    }
    const Decision decision = Place(request_, changed_, costs_, kSearch);
    changed_.states = before;
    const auto* then = std::get_if<Placed>(&decision);
    if (then == nullptr || then->score.total() > placed_.score.total()) return;
    if (then->placement.cost() >= placed_.placement.cost()) return;
    const std::set<NodeIndex> freed(missing.nodes.begin(), missing.nodes.begin() + static_cast<int64_t>(count));
    const bool used =
        std::any_of(then->units.begin(), then->units.end(), [&](NodeIndex node) { return freed.count(node) > 0; });
    if (!used) return;
    v1::Explanation::Gain gain;
    gain.set_change(std::move(change));
    gain.set_cost(then->placement.cost());
    gains_.push_back(std::move(gain));
  }

  std::vector<v1::Explanation::Gain> Best() {
    std::stable_sort(gains_.begin(), gains_.end(), [](const auto& a, const auto& b) { return a.cost() < b.cost(); });
    if (gains_.size() > kMaxGains) gains_.resize(kMaxGains);
    return std::move(gains_);
  }

 private:
  const Request& request_;
  Cluster changed_;
  const HopCosts& costs_;
  const Placed& placed_;
  std::vector<v1::Explanation::Gain> gains_;
};

}  // namespace

std::vector<v1::Explanation::Gain> GainsOf(const Request& request, const Cluster& cluster, const HopCosts& costs,
                                           const Placed& placed) {
  if (request.traffic.edges.empty() || placed.placement.cost() <= LeastThinkable(request, costs)) return {};
  const Topology& topology = *cluster.topology;
  Trier trier(request, cluster, costs, placed);
  size_t changes = 0;
  for (const Missing& missing : MissingNodes(request, cluster, placed.units)) {
    if (changes >= kMaxChanges) break;
    const Domain& domain = topology.domain(missing.domain);
    const std::string name = absl::StrCat(topology.tiers()[domain.tier].name, " ", domain.path);
    trier.Try(missing, 1, absl::StrCat("1 more free node in ", name));
    ++changes;
    if (missing.nodes.size() == 1) continue;
    trier.Try(missing, missing.nodes.size(), absl::StrCat(name, " whole, ", missing.nodes.size(), " more nodes"));
    ++changes;
  }
  return trier.Best();
}

}  // namespace muster::placement
