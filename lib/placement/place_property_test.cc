// What holds for any small cluster and job, each over 10,000 random ones: valid under its constraints, as cheap as
// trying everything, bounded, blind to order and names, no worse for a node more; a repair moves nobody else; Never is
// never possible and NotNow is.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/repair.h"
#include "lib/placement/slices.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

constexpr int kCases = 10'000;
const std::vector<std::string> kTiers = {"block", "rack"};

using Random = std::mt19937;
int Pick(Random& random, int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); }

std::vector<v1::Node> RandomNodes(Random& random, int count) {
  std::vector<v1::Node> nodes;
  for (int i = 0; i < count; ++i) {
    v1::Node node;
    node.mutable_info()->set_name("n" + std::to_string(i * 3 + 1));
    (*node.mutable_info()->mutable_capacity())["gpu"] = Pick(random, 0, 9) == 0 ? 1 : 2;
    for (const std::string& tier : kTiers) {
      if (Pick(random, 0, 9) > 0)
        (*node.mutable_info()->mutable_labels())[tier] = std::string(1, 'a' + Pick(random, 0, 1));
    }
    if (Pick(random, 0, 3) == 0) node.set_use(v1::ASSIGNED);
    nodes.push_back(node);
  }
  return nodes;
}

// Two workers a member; meshes of two or three axes that small gangs have.
Request RandomRequest(Random& random) {
  const int units = Pick(random, 1, 4);
  v1::JobSpec spec = Job(units, 2);
  v1::PlacementSpec& placement = *spec.mutable_placement();
  if (Pick(random, 0, 3) == 0) placement.set_required(kTiers[Pick(random, 0, 1)]);
  if (Pick(random, 0, 3) == 0) {
    v1::PlacementSpec::Slice& slice = *placement.add_slices();
    slice.set_size(units % 2 == 0 && Pick(random, 0, 1) == 0 ? 2 : units % 3 == 0 ? 3 : 1);
    slice.set_tier(kTiers[Pick(random, 0, 1)]);
  }
  if (Pick(random, 0, 3) == 0) placement.set_spares(Pick(random, 1, 2));
  const int64_t pp = units % 2 == 0 ? 2 : units % 3 == 0 ? 3 : 1;
  Request request =
      RequestOf("d/j", spec, MegatronMesh({.tp = Pick(random, 0, 1) == 0 ? 2 : 1, .pp = pp}, units * 2)).value();
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
  std::vector<v1::Node> nodes = RandomNodes(random, Pick(random, 2, 7));
  Cluster cluster = MakeCluster(Tiers::FromLabels(kTiers).value(), nodes).value();
  return {std::move(nodes), std::move(cluster), RandomRequest(random)};
}

bool Valid(const Request& request, const Cluster& cluster, const Units& units, const std::vector<NodeIndex>& spares) {
  std::vector<NodeIndex> all = units;
  all.insert(all.end(), spares.begin(), spares.end());
  std::vector<NodeIndex> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  const auto required = cluster.topology->tiers().Find(request.spec.placement().required());
  for (const NodeIndex node : all) {
    if (!cluster.Available(node) || cluster.facts_of(node).slots < request.slots) return false;
    if (!required) continue;
    const auto domain = cluster.topology->DomainOf(node, static_cast<int>(*required));
    if (!domain || domain != cluster.topology->DomainOf(all[0], static_cast<int>(*required))) return false;
  }
  return SlicesHold(SliceRulesOf(request, *cluster.topology), *cluster.topology, units);
}

// The least cost over all ways to seat the units; -1 if there is none. Spares count as needed, wherever they are.
class Exhaustive {
 public:
  Exhaustive(const Request& request, const Cluster& cluster) : request_(request), cluster_(cluster) {
    for (int32_t i = 0; i < cluster.topology->size(); ++i) {
      if (cluster.Available(NodeIndex(i)) && cluster.facts_of(NodeIndex(i)).slots >= request.slots) {
        nodes_.push_back(NodeIndex(i));
      }
    }
    taken_.resize(nodes_.size());
    Seat();
  }
  int64_t least() const { return least_; }

 private:
  void Seat() {
    if (static_cast<int32_t>(units_.size()) == request_.units) {
      const auto count = static_cast<size_t>(request_.spec.placement().spares());
      std::vector<NodeIndex> left;
      const auto required = cluster_.topology->tiers().Find(request_.spec.placement().required());
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (taken_[i]) continue;
        if (required && cluster_.topology->DomainOf(nodes_[i], static_cast<int>(*required)) !=
                            cluster_.topology->DomainOf(units_[0], static_cast<int>(*required))) {
          continue;
        }
        left.push_back(nodes_[i]);
      }
      if (left.size() < count) return;
      const int64_t cost =
          CostOf(request_.traffic, *cluster_.topology, HopCosts::Default(cluster_.topology->tiers().size()), units_);
      if (least_ >= 0 && cost >= least_) return;
      if (Valid(request_, cluster_, units_, {})) least_ = cost;
      return;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (taken_[i]) continue;
      taken_[i] = true;
      units_.push_back(nodes_[i]);
      Seat();
      units_.pop_back();
      taken_[i] = false;
    }
  }

  const Request& request_;
  const Cluster& cluster_;
  std::vector<NodeIndex> nodes_;
  std::vector<bool> taken_;
  Units units_;
  int64_t least_ = -1;
};

TEST(PlaceProperty, AnyCase_IsValidExactAndBoundedOrRightlyRefused) {
  int placed = 0;
  for (int seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    const Decision decision = Place(c.request, c.cluster);
    if (const auto* ok = std::get_if<Placed>(&decision)) {
      ++placed;
      ASSERT_TRUE(Valid(c.request, c.cluster, ok->units, ok->spares));
      ASSERT_EQ(static_cast<int>(ok->spares.size()), c.request.spec.placement().spares());
      ASSERT_EQ(ok->score.traffic, Exhaustive(c.request, c.cluster).least());
      ASSERT_LE(ok->bound, ok->score.total());
      continue;
    }
    ASSERT_EQ(Exhaustive(c.request, c.cluster).least(), -1);
    Cluster empty = c.cluster;
    for (NodeState& state : empty.states) state.free = state.ok = true;
    const bool possible = Exhaustive(c.request, empty).least() >= 0;
    ASSERT_EQ(std::holds_alternative<NotNow>(decision), possible) << ReasonOf(decision);
  }
  EXPECT_GT(placed, kCases / 4);
}

std::vector<std::string> NamesOf(const Cluster& cluster, const Units& units) {
  std::vector<std::string> names;
  for (const NodeIndex node : units) names.push_back(cluster.topology->node(node).name);
  return names;
}

TEST(PlaceProperty, OrderAndNames_DecideNothing) {
  for (int seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    const Decision decision = Place(c.request, c.cluster);
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr) continue;
    std::vector<v1::Node> shuffled = c.nodes;
    std::shuffle(shuffled.begin(), shuffled.end(), Random(seed));
    // Longer names in the same natural order.
    for (v1::Node& node : shuffled) node.mutable_info()->set_name("gpu-" + node.info().name() + "-x");
    const Cluster renamed = MakeCluster(Tiers::FromLabels(kTiers).value(), shuffled).value();
    const Decision again = Place(c.request, renamed);
    ASSERT_TRUE(std::holds_alternative<Placed>(again));
    std::vector<std::string> expected = NamesOf(c.cluster, placed->units);
    for (std::string& name : expected) name = "gpu-" + name + "-x";
    ASSERT_EQ(NamesOf(renamed, std::get<Placed>(again).units), expected);
  }
}

TEST(PlaceProperty, OneFreeNodeMore_IsNeverWorse) {
  for (int seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = RandomCase(seed);
    const Decision decision = Place(c.request, c.cluster);
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr) continue;
    Cluster more = c.cluster;
    for (NodeState& state : more.states) {
      if (state.free) continue;
      state.free = true;
      break;
    }
    const Decision richer = Place(c.request, more);
    ASSERT_TRUE(std::holds_alternative<Placed>(richer));
    ASSERT_LE(std::get<Placed>(richer).score.total(), placed->score.total());
  }
}

TEST(PlaceProperty, Repair_MovesNobodyElse) {
  int repaired = 0;
  for (int seed = 0; repaired < kCases && seed < 20 * kCases; ++seed) {
    SCOPED_TRACE(seed);
    Case c = RandomCase(seed);
    const Decision decision = Place(c.request, c.cluster);
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr || c.request.units < 2) continue;
    for (const NodeIndex node : placed->units) c.cluster.state_of(node).free = false;
    for (const NodeIndex node : placed->spares) c.cluster.state_of(node).free = false;
    RepairRequest repair;
    repair.request = &c.request;
    repair.units = placed->units;
    repair.spares = placed->spares;
    repair.vacated = {static_cast<int32_t>(seed % c.request.units)};
    c.cluster.state_of(repair.units[repair.vacated[0]]).ok = false;
    const Decision answer = Repair(repair, c.cluster, HopCosts::Default(kTiers.size()));
    const auto* again = std::get_if<Placed>(&answer);
    if (again == nullptr) continue;
    ++repaired;
    for (int32_t unit = 0; unit < c.request.units; ++unit) {
      if (unit != repair.vacated[0]) {
        ASSERT_EQ(again->units[unit], placed->units[unit]);
      }
    }
    ASSERT_NE(again->units[repair.vacated[0]], placed->units[repair.vacated[0]]);
    ASSERT_TRUE(SlicesHold(SliceRulesOf(c.request, *c.cluster.topology), *c.cluster.topology, again->units));
  }
  EXPECT_EQ(repaired, kCases);
}

}  // namespace
}  // namespace muster::placement
