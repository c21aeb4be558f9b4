// What holds for any small cluster and job, each over 10,000 random ones: valid under its constraints, as cheap as
// trying everything, bounded, blind to order and names, no worse for a node more; a repair moves nobody else; Never is
// never possible and NotNow is. In parts, so that shards share them.

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/repair.h"
#include "lib/placement/rules.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

constexpr int kParts = 8;
constexpr int kCasesOfAPart = 1'250;
const std::vector<std::string> kTiers = {"block", "rack"};

using Random = std::mt19937;
int Pick(Random& random, int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); }
bool OneIn(Random& random, int n) { return Pick(random, 1, n) == 1; }

std::vector<v1::Node> RandomNodes(Random& random, int count) {
  std::vector<v1::Node> nodes;
  for (int i = 0; i < count; ++i) {
    v1::Node node;
    node.mutable_info()->set_name("n" + std::to_string(i * 3 + 1));
    (*node.mutable_info()->mutable_capacity())["gpu"] = OneIn(random, 10) ? 1 : 2;
    for (const std::string& tier : kTiers) {
      if (!OneIn(random, 10)) (*node.mutable_info()->mutable_labels())[tier] = std::string(1, 'a' + Pick(random, 0, 1));
    }
    if (OneIn(random, 4)) node.set_use(v1::ASSIGNED);
    nodes.push_back(node);
  }
  return nodes;
}

void AddRules(Random& random, int units, v1::PlacementSpec& placement) {
  if (OneIn(random, 4)) placement.set_required(kTiers[Pick(random, 0, 1)]);
  if (units > 1 && OneIn(random, 6)) {
    placement.mutable_apart()->set_axis("pp");
    placement.mutable_apart()->set_tier(kTiers[Pick(random, 0, 1)]);
    return;
  }
  if (OneIn(random, 4)) {
    v1::PlacementSpec::Slice& slice = *placement.add_slices();
    slice.set_size(units % 2 == 0 && OneIn(random, 2) ? 2 : units % 3 == 0 ? 3 : 1);
    slice.set_tier(kTiers[Pick(random, 0, 1)]);
  }
  if (OneIn(random, 4)) {
    v1::PlacementSpec::PerDomain& counts = *placement.add_per_domain();
    counts.set_tier(kTiers[Pick(random, 0, 1)]);
    counts.set_min(Pick(random, 0, std::min(units, 2)));
    if (OneIn(random, 2)) counts.set_max(Pick(random, std::max(counts.min(), 1), units));
  }
}

// Two workers a member; meshes of two or three axes that small gangs have.
Request RandomRequest(Random& random, int nodes) {
  const int units = Pick(random, 1, 4);
  v1::JobSpec spec = Job(units, 2);
  v1::PlacementSpec& placement = *spec.mutable_placement();
  AddRules(random, units, placement);
  if (OneIn(random, 4)) placement.set_spares(Pick(random, 1, 2));
  for (int i = 0; i < nodes; ++i) {
    if (OneIn(random, 12)) placement.add_avoid_nodes("n" + std::to_string(i * 3 + 1));
    if (OneIn(random, 12)) placement.add_prefer_nodes("n" + std::to_string(i * 3 + 1));
  }
  const int64_t pp = units % 2 == 0 ? 2 : units % 3 == 0 ? 3 : 1;
  if (placement.has_apart() && pp == 1) placement.clear_apart();
  Request request = RequestOf("d/j", spec, MegatronMesh({.tp = OneIn(random, 2) ? 2 : 1, .pp = pp}, units * 2)).value();
  request.spare_weight = 0;
  return request;
}

struct Case {
  std::vector<v1::Node> nodes;
  Cluster cluster;
  Request request;
};

Case RandomCase(uint32_t seed) {
  Random random(seed);
  std::vector<v1::Node> nodes = RandomNodes(random, Pick(random, 2, 6));
  Cluster cluster = MakeCluster(Tiers::FromLabels(kTiers).value(), nodes).value();
  Request request = RandomRequest(random, static_cast<int>(nodes.size()));
  return {std::move(nodes), std::move(cluster), std::move(request)};
}

int TierOf(const std::string& name) { return name == kTiers[0] ? 0 : name == kTiers[1] ? 1 : kNoTier; }

// Whether units on these nodes keep what the job asks for, by the words of the job's fields.
bool Keeps(const Request& request, const Topology& topology, const Units& units) {
  const v1::PlacementSpec& wanted = request.spec.placement();
  const auto known = [&](const std::string& tier) {
    return std::all_of(units.begin(), units.end(),
                       [&](NodeIndex node) { return topology.DomainOf(node, TierOf(tier)).has_value(); });
  };
  for (const v1::PlacementSpec::Slice& slice : wanted.slices()) {
    if (!known(slice.tier())) return false;
    for (size_t i = 0; i < units.size(); ++i) {
      const NodeIndex first = units[i - i % slice.size()];
      if (topology.DomainOf(units[i], TierOf(slice.tier())) != topology.DomainOf(first, TierOf(slice.tier()))) {
        return false;
      }
    }
  }
  for (const v1::PlacementSpec::PerDomain& counts : wanted.per_domain()) {
    if (!known(counts.tier())) return false;
    std::map<DomainIndex, int> members;
    for (const NodeIndex node : units) ++members[*topology.DomainOf(node, TierOf(counts.tier()))];
    for (const auto& [domain, count] : members) {
      if (count < counts.min() || (counts.max() > 0 && count > counts.max())) return false;
    }
  }
  if (!wanted.has_apart()) return true;
  if (!known(wanted.apart().tier())) return false;
  std::map<DomainIndex, std::set<int64_t>> stages;
  const mesh::Grid& grid = request.mesh->dense();
  for (size_t i = 0; i < units.size(); ++i) {
    stages[*topology.DomainOf(units[i], TierOf(wanted.apart().tier()))].insert(
        grid.Coordinate(static_cast<int64_t>(i) * 2, *grid.Find("pp")));
  }
  return std::all_of(stages.begin(), stages.end(), [](const auto& each) { return each.second.size() == 1; });
}

bool Valid(const Request& request, const Cluster& cluster, const Units& units, const std::vector<NodeIndex>& spares) {
  std::vector<NodeIndex> all = units;
  all.insert(all.end(), spares.begin(), spares.end());
  std::vector<NodeIndex> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  const int required = TierOf(request.spec.placement().required());
  for (const NodeIndex node : all) {
    if (!cluster.Available(node) || cluster.facts_of(node).slots < request.slots) return false;
    if (required == kNoTier) continue;
    const auto domain = cluster.topology->DomainOf(node, required);
    if (!domain || domain != cluster.topology->DomainOf(all[0], required)) return false;
  }
  return Keeps(request, *cluster.topology, units);
}

// The least cost over all ways to seat the units; -1 if there is none. Spares count as needed, wherever they are.
class Exhaustive {
 public:
  Exhaustive(const Request& request, const Cluster& cluster, const std::set<std::string>& without = {})
      : request_(request), cluster_(cluster), required_(TierOf(request.spec.placement().required())) {
    for (int32_t i = 0; i < cluster.topology->size(); ++i) {
      const NodeIndex node(i);
      if (without.count(cluster.topology->node(node).name) > 0) continue;
      if (cluster.Available(node) && cluster.facts_of(node).slots >= request.slots) nodes_.push_back(node);
    }
    taken_.resize(nodes_.size());
    Seat();
  }
  int64_t least() const { return least_; }

 private:
  bool Together(NodeIndex node) const {
    return required_ == kNoTier ||
           cluster_.topology->DomainOf(node, required_) == cluster_.topology->DomainOf(units_[0], required_);
  }

  void Seat() {
    if (static_cast<int32_t>(units_.size()) == request_.units) {
      int32_t left = 0;
      for (size_t i = 0; i < nodes_.size(); ++i) left += !taken_[i] && Together(nodes_[i]) ? 1 : 0;
      if (left < request_.spec.placement().spares()) return;
      const int64_t cost =
          CostOf(request_.traffic, *cluster_.topology, HopCosts::Default(cluster_.topology->tiers().size()), units_);
      if (least_ >= 0 && cost >= least_) return;
      if (Valid(request_, cluster_, units_, {})) least_ = cost;
      return;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (taken_[i] || (!units_.empty() && !Together(nodes_[i]))) continue;
      taken_[i] = true;
      units_.push_back(nodes_[i]);
      Seat();
      units_.pop_back();
      taken_[i] = false;
    }
  }

  const Request& request_;
  const Cluster& cluster_;
  const int required_;
  std::vector<NodeIndex> nodes_;
  std::vector<bool> taken_;
  Units units_;
  int64_t least_ = -1;
};

std::set<std::string> Avoided(const Request& request) {
  const auto& names = request.spec.placement().avoid_nodes();
  return {names.begin(), names.end()};
}

std::vector<std::string> NamesOf(const Cluster& cluster, const Units& units) {
  std::vector<std::string> names;
  for (const NodeIndex node : units) names.push_back(cluster.topology->node(node).name);
  return names;
}

void ExpectExact(const Case& c, const Placed& placed) {
  ASSERT_TRUE(Valid(c.request, c.cluster, placed.units, placed.spares));
  ASSERT_EQ(static_cast<int>(placed.spares.size()), c.request.spec.placement().spares());
  ASSERT_LE(placed.bound, placed.score.total());
  ASSERT_LE(placed.placement.lower_bound(), placed.placement.cost());
  const std::set<std::string> avoided = Avoided(c.request);
  const int64_t without = Exhaustive(c.request, c.cluster, avoided).least();
  if (without < 0) return;  // it needs nodes that are to be avoided
  ASSERT_EQ(placed.score.traffic, without);
  for (const auto* nodes : {&placed.units, &placed.spares}) {
    for (const std::string& name : NamesOf(c.cluster, *nodes)) ASSERT_EQ(avoided.count(name), 0u);
  }
}

// With the ways to spares in the cost, too: spares may be nodes that ranks can't have.
void ExpectBoundHoldsWithWaysToSpares(const Case& c) {
  if (c.request.spec.placement().spares() == 0) return;
  Request request = c.request;
  request.spare_weight = 17;
  const Decision decision = Place(request, c.cluster);
  const auto* placed = std::get_if<Placed>(&decision);
  ASSERT_NE(placed, nullptr);
  ASSERT_LE(placed->bound, placed->score.total());
  ASSERT_LE(placed->placement.lower_bound(), placed->placement.cost());
}

void ExpectRightlyRefused(const Case& c, const Decision& decision) {
  ASSERT_EQ(Exhaustive(c.request, c.cluster).least(), -1) << ReasonOf(decision);
  Cluster empty = c.cluster;
  for (NodeState& state : empty.states) state.free = state.ok = true;
  const bool possible = Exhaustive(c.request, empty).least() >= 0;
  ASSERT_EQ(std::holds_alternative<NotNow>(decision), possible) << ReasonOf(decision);
}

// Nodes in another order, with longer names in the same natural order.
void ExpectBlindToOrderAndNames(const Case& c, const Placed& placed, uint32_t seed) {
  std::vector<v1::Node> shuffled = c.nodes;
  std::shuffle(shuffled.begin(), shuffled.end(), Random(seed));
  const auto longer = [](const std::string& name) { return "gpu-" + name + "-x"; };
  for (v1::Node& node : shuffled) node.mutable_info()->set_name(longer(node.info().name()));
  Request request = c.request;
  for (std::string& name : *request.spec.mutable_placement()->mutable_avoid_nodes()) name = longer(name);
  for (std::string& name : *request.spec.mutable_placement()->mutable_prefer_nodes()) name = longer(name);
  const Cluster renamed = MakeCluster(Tiers::FromLabels(kTiers).value(), shuffled).value();
  const Decision again = Place(request, renamed);
  ASSERT_TRUE(std::holds_alternative<Placed>(again));
  std::vector<std::string> expected = NamesOf(c.cluster, placed.units);
  for (std::string& name : expected) name = longer(name);
  ASSERT_EQ(NamesOf(renamed, std::get<Placed>(again).units), expected);
}

void ExpectNoWorseWithOneFreeNodeMore(const Case& c, const Placed& placed) {
  Cluster more = c.cluster;
  const auto busy =
      std::find_if(more.states.begin(), more.states.end(), [](const NodeState& state) { return !state.free; });
  if (busy == more.states.end()) return;
  busy->free = true;
  const Decision richer = Place(c.request, more);
  ASSERT_TRUE(std::holds_alternative<Placed>(richer));
  // Nodes to be avoided that it can now do without may cost traffic.
  const Score& before = placed.score;
  const Score& after = std::get<Placed>(richer).score;
  ASSERT_LE(std::make_pair(after.avoided, after.total()), std::make_pair(before.avoided, before.total()));
}

class PlaceProperty : public ::testing::TestWithParam<int> {};

TEST_P(PlaceProperty, AnyCase_IsValidExactBlindToNamesAndMonotoneOrRightlyRefused) {
  int placed = 0;
  for (int seed = GetParam(); seed < kParts * kCasesOfAPart; seed += kParts) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    const Decision decision = Place(c.request, c.cluster);
    const auto* ok = std::get_if<Placed>(&decision);
    if (ok == nullptr) {
      ASSERT_NO_FATAL_FAILURE(ExpectRightlyRefused(c, decision));
      continue;
    }
    ++placed;
    ASSERT_NO_FATAL_FAILURE(ExpectExact(c, *ok));
    ASSERT_NO_FATAL_FAILURE(ExpectBoundHoldsWithWaysToSpares(c));
    ASSERT_NO_FATAL_FAILURE(ExpectBlindToOrderAndNames(c, *ok, seed));
    ASSERT_NO_FATAL_FAILURE(ExpectNoWorseWithOneFreeNodeMore(c, *ok));
  }
  EXPECT_GT(placed, kCasesOfAPart / 5);
}

// Units on nodes at random that keep the rules; empty if a few tries find none.
Units RandomSeats(const Case& c, Random& random) {
  std::vector<NodeIndex> nodes;
  for (int32_t i = 0; i < c.cluster.topology->size(); ++i) {
    if (c.cluster.Available(NodeIndex(i))) nodes.push_back(NodeIndex(i));
  }
  for (int tries = 0; tries < 6 && static_cast<int32_t>(nodes.size()) > c.request.units; ++tries) {
    std::shuffle(nodes.begin(), nodes.end(), random);
    const Units units(nodes.begin(), nodes.begin() + c.request.units);
    if (Valid(c.request, c.cluster, units, {})) return units;
  }
  return {};
}

// Whether the vacated unit was given another node, and nobody else.
void ExpectOnlyVacatedMoves(const Case& c, const Units& units, int32_t vacated, int& repaired) {
  Cluster cluster = c.cluster;
  for (const NodeIndex node : units) cluster.state_of(node).free = false;
  cluster.state_of(units[vacated]).ok = false;
  const RepairRequest repair{&c.request, units, {vacated}, {}};
  const Decision answer = Repair(repair, cluster, HopCosts::Default(kTiers.size()), 0);
  const auto* again = std::get_if<Placed>(&answer);
  if (again == nullptr) return;
  ++repaired;
  for (int32_t unit = 0; unit < c.request.units; ++unit) {
    if (unit != vacated) {
      ASSERT_EQ(again->units[unit], units[unit]);
    }
  }
  ASSERT_NE(again->units[vacated], units[vacated]);
  ASSERT_TRUE(cluster.Available(again->units[vacated]));
  ASSERT_TRUE(Keeps(c.request, *c.cluster.topology, again->units));
}

TEST_P(PlaceProperty, Repair_MovesNobodyElse) {
  int repaired = 0;
  for (int seed = GetParam(); repaired < kCasesOfAPart; seed += kParts) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    if (c.request.units < 2) continue;
    Random random(seed);
    for (int seats = 0; seats < 4; ++seats) {
      const Units units = RandomSeats(c, random);
      for (int32_t vacated = 0; vacated < static_cast<int32_t>(units.size()); ++vacated) {
        ASSERT_NO_FATAL_FAILURE(ExpectOnlyVacatedMoves(c, units, vacated, repaired));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, PlaceProperty, ::testing::Range(0, kParts));

}  // namespace
}  // namespace muster::placement
