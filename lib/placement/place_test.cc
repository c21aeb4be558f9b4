#include "lib/placement/place.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/cost.h"
#include "lib/placement/slices.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The example of `muster plan`: ten free nodes in three racks of block b1, ten more in b2.
Cluster TwoBlocks() {
  return ClusterOf({"block", "rack"}, {{{"b1", "r1"}, {"gpu-a01", "gpu-a02", "gpu-a03", "gpu-a04"}},
                                       {{"b1", "r2"}, {"gpu-b01", "gpu-b02", "gpu-b03", "gpu-b04"}},
                                       {{"b1", "r3"}, {"gpu-c01", "gpu-c02"}},
                                       {{"b2", "r1"}, NodeNames("gpu-d", 4)},
                                       {{"b2", "r2"}, NodeNames("gpu-e", 4)},
                                       {{"b2", "r3"}, NodeNames("gpu-f", 2)}});
}

Request Seed64() {
  v1::JobSpec spec = Job(8, 8);
  spec.mutable_mesh()->set_dialect("megatron");
  return RequestOf("default/seed-64", spec, MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64)).value();
}

std::vector<std::string> RankNodes(const v1::Placement& placement) {
  std::vector<std::string> names;
  for (const v1::PlacedNode& rank : placement.ranks()) names.push_back(rank.node());
  return names;
}

TEST(Place, SeedOf64_TilesPipelineAndDataOverTwoRacks) {
  const Decision decision = Place(Seed64(), TwoBlocks());
  const auto* placed = std::get_if<Placed>(&decision);
  ASSERT_NE(placed, nullptr) << ReasonOf(decision);
  const v1::Placement& p = placed->placement;
  EXPECT_EQ(p.cost(), 3600);
  EXPECT_EQ(p.lower_bound(), 3600);
  EXPECT_TRUE(p.bound_known());
  EXPECT_EQ(p.name_order_cost(), 9504);
  EXPECT_THAT(RankNodes(p),
              ElementsAre("gpu-a01", "gpu-a02", "gpu-b01", "gpu-b02", "gpu-a03", "gpu-a04", "gpu-b03", "gpu-b04"));
  EXPECT_EQ(
      p.reason(),
      "placed on 8 of the 10 free nodes of block b1, the lowest domain that fits (free: r1 4, r2 4, r3 2; 20 in all)");
  struct Row {
    std::string family;
    int64_t groups, size, in_node, across_racks, edges, edges_across;
  };
  const std::vector<Row> rows = {{"tp", 16, 4, 16, 0, 64, 0},
                                 {"cp", 32, 2, 32, 0, 64, 0},
                                 {"dp_cp", 8, 8, 0, 8, 64, 16},
                                 {"pp", 32, 2, 0, 0, 32, 0}};
  ASSERT_EQ(p.crossings_size(), static_cast<int>(rows.size()));
  int64_t cost = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const v1::FamilyCrossings& family = p.crossings(static_cast<int>(i));
    EXPECT_EQ(family.family(), rows[i].family);
    EXPECT_EQ(family.groups(), rows[i].groups) << rows[i].family;
    EXPECT_EQ(family.group_size(), rows[i].size) << rows[i].family;
    EXPECT_EQ(family.groups_in_node(), rows[i].in_node) << rows[i].family;
    EXPECT_EQ(family.edges(), rows[i].edges) << rows[i].family;
    EXPECT_EQ(family.tiers(0).crossing_groups(), 0) << rows[i].family;
    EXPECT_EQ(family.tiers(1).crossing_groups(), rows[i].across_racks) << rows[i].family;
    EXPECT_EQ(family.tiers(1).crossing_edges(), rows[i].edges_across) << rows[i].family;
    cost += family.cost();
  }
  EXPECT_EQ(cost, p.cost());
}

TEST(Place, ArrivalOrderOfNodes_ChangesNothing) {
  const Request request = Seed64();
  std::vector<NodeGroup> groups = {{{"b1", "r1"}, NodeNames("a", 3)}, {{"b1", "r2"}, NodeNames("b", 3)},
                                   {{"b1", ""}, NodeNames("c", 2)},   {{"b2", "r1"}, NodeNames("d", 4)},
                                   {{"", ""}, NodeNames("e", 2)},     {{"b2", "r2"}, NodeNames("f", 1)}};
  const Decision expected = Place(request, ClusterOf({"block", "rack"}, groups));
  ASSERT_TRUE(std::holds_alternative<Placed>(expected));
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(groups.begin(), groups.end(), random);
    for (NodeGroup& group : groups) std::shuffle(group.names.begin(), group.names.end(), random);
    const Decision decision = Place(request, ClusterOf({"block", "rack"}, groups));
    EXPECT_EQ(std::get<Placed>(decision).placement.SerializeAsString(),
              std::get<Placed>(expected).placement.SerializeAsString());
  }
}

TEST(Place, RequiredTier_TellsNotNowFromNever) {
  v1::JobSpec spec = Job(5, 8);
  spec.mutable_placement()->set_required("rack");
  Cluster cluster =
      ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 4)}, {{"b1", "r2"}, NodeNames("b", 6)}});
  EXPECT_TRUE(std::holds_alternative<Placed>(Place(RequestOf("d/j", spec, nullptr).value(), cluster)));
  cluster.state_of(*cluster.topology->Find("b1")).ok = false;
  cluster.state_of(*cluster.topology->Find("b2")).free = false;
  const Decision not_now = Place(RequestOf("d/j", spec, nullptr).value(), cluster);
  ASSERT_TRUE(std::holds_alternative<NotNow>(not_now));
  EXPECT_EQ(ReasonOf(not_now), "5 nodes in one rack are required; the best rack, b1/r1, has 4 free and healthy");
  spec.set_members(7);
  const Decision never = Place(RequestOf("d/j", spec, nullptr).value(), cluster);
  ASSERT_TRUE(std::holds_alternative<Never>(never));
  EXPECT_THAT(ReasonOf(never), HasSubstr("7 nodes in one rack are required; the best rack, b1/r2, has 6 in all"));
  EXPECT_THAT(std::get<Never>(never).ways_out, ::testing::Contains("placement.required: block"));
}

TEST(Place, TierThatIsNotThere_IsNever) {
  v1::JobSpec spec = Job(1, 1);
  spec.mutable_placement()->set_required("rak");
  const Decision decision = Place(RequestOf("d/j", spec, nullptr).value(), TwoBlocks());
  ASSERT_TRUE(std::holds_alternative<Never>(decision));
  EXPECT_EQ(ReasonOf(decision), "spec.placement.required: the cluster has no tier \"rak\"; its tiers are block, rack");
  EXPECT_THAT(std::get<Never>(decision).ways_out, ElementsAre("placement.required: rack"));
}

TEST(Place, SeveralMembersOnANode_HaveConsecutiveRanks) {
  v1::JobSpec spec = Job(4, 2);
  spec.mutable_placement()->set_members_per_node(2);
  const Decision decision =
      Place(RequestOf("d/j", spec, nullptr).value(), ClusterOf({"rack"}, {{{"r1"}, {"n2", "n10", "n1"}, 4}}));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_THAT(RankNodes(std::get<Placed>(decision).placement), ElementsAre("n1", "n1", "n2", "n2"));
}

TEST(Place, SelectorNamesAndSize_NarrowTheNodes) {
  Cluster cluster = ClusterOf({"rack"}, {{{"r1"}, {"a", "b"}, 4}, {{"r2"}, {"c", "d"}, 8}});
  v1::JobSpec spec = Job(1, 8);
  Decision decision = Place(RequestOf("d/j", spec, nullptr).value(), cluster);
  EXPECT_THAT(RankNodes(std::get<Placed>(decision).placement), ElementsAre("c"));
  spec.set_workers_per_member(1);
  (*spec.mutable_placement()->mutable_node_selector())["rack"] = "r2";
  spec.mutable_placement()->add_nodes("d");
  spec.mutable_placement()->add_nodes("a");
  decision = Place(RequestOf("d/j", spec, nullptr).value(), cluster);
  EXPECT_THAT(RankNodes(std::get<Placed>(decision).placement), ElementsAre("d"));
  spec.set_workers_per_member(9);
  decision = Place(RequestOf("d/j", spec, nullptr).value(), cluster);
  EXPECT_TRUE(std::holds_alternative<Never>(decision));
}

TEST(Place, Spares_AreNearAndInTheRequiredDomain) {
  v1::JobSpec spec = Job(3, 8);
  spec.mutable_placement()->set_spares(1);
  spec.mutable_placement()->set_required("block");
  const Decision decision =
      Place(RequestOf("d/j", spec, nullptr).value(), ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 3)},
                                                                                   {{"b1", "r2"}, NodeNames("b", 2)},
                                                                                   {{"b2", "r1"}, NodeNames("c", 3)}}));
  const v1::Placement& p = std::get<Placed>(decision).placement;
  EXPECT_THAT(RankNodes(p), ElementsAre("a1", "a2", "a3"));
  ASSERT_EQ(p.spares_size(), 1);
  EXPECT_EQ(p.spares(0).node(), "b1");
}

// Every layout of a small request on a small cluster.
struct Exhaustive {
  bool feasible = false;
  int64_t cost = 0;
};
Exhaustive TryAll(const Request& request, const Cluster& cluster, bool any_state) {
  const Topology& topology = *cluster.topology;
  const HopCosts costs = HopCosts::Default(topology.tiers().size());
  const v1::PlacementSpec& wanted = request.spec.placement();
  const auto required = topology.tiers().Find(wanted.required());
  std::vector<NodeIndex> nodes;
  for (int32_t i = 0; i < topology.size(); ++i) {
    if (cluster.facts_of(NodeIndex(i)).slots < request.slots) continue;
    if (any_state || cluster.Available(NodeIndex(i))) nodes.push_back(NodeIndex(i));
  }
  Exhaustive best;
  Units units(request.units);
  std::vector<bool> used(nodes.size());
  const auto domain_of = [&](NodeIndex node) { return topology.DomainOf(node, static_cast<int>(*required)); };
  const auto room_for_spares = [&] {
    int32_t left = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!used[i] && (!required || domain_of(nodes[i]) == domain_of(units[0]))) ++left;
    }
    return left >= wanted.spares();
  };
  const std::function<void(size_t)> fill = [&](size_t at) {
    if (at == units.size()) {
      if (required) {
        for (const NodeIndex unit : units) {
          if (!domain_of(unit) || domain_of(unit) != domain_of(units[0])) return;
        }
      }
      for (const v1::PlacementSpec::Slice& slice : wanted.slices()) {
        const int tier = static_cast<int>(*topology.tiers().Find(slice.tier()));
        for (size_t i = 0; i < units.size(); ++i) {
          const auto domain = topology.DomainOf(units[i], tier);
          if (!domain || domain != topology.DomainOf(units[i - i % slice.size()], tier)) return;
        }
      }
      if (!room_for_spares()) return;
      const int64_t cost = CostOf(request.traffic, topology, costs, units);
      if (!best.feasible || cost < best.cost) best = {true, cost};
      return;
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (used[i]) continue;
      used[i] = true;
      units[at] = nodes[i];
      fill(at + 1);
      used[i] = false;
    }
  };
  fill(0);
  return best;
}

TEST(Place, SmallClusters_AgreeWithBruteForce) {
  std::mt19937 random(17);
  int placed_count = 0, not_now = 0, never = 0, optimal = 0;
  for (int round = 0; round < 400; ++round) {
    const int32_t count = 2 + static_cast<int32_t>(random() % 5);
    std::vector<NodeGroup> groups;
    for (int i = 0; i < 6; ++i) {
      NodeGroup group{{random() % 6 == 0 ? "" : std::string(1, 'a' + random() % 2),
                       random() % 6 == 0 ? "" : std::string(1, 'x' + random() % 3)},
                      {"n" + std::to_string(i)}};
      group.gpus = random() % 8 == 0 ? 1 : 2;
      if (random() % 4 == 0) group.busy = group.names;
      groups.push_back(group);
    }
    const Cluster cluster = ClusterOf({"block", "rack"}, groups);
    v1::JobSpec spec = Job(count, 2);
    if (random() % 3 == 0) spec.mutable_placement()->set_required(random() % 2 == 0 ? "block" : "rack");
    if (random() % 4 == 0) spec.mutable_placement()->set_spares(1);
    for (const char* tier : {"block", "rack"}) {
      if (random() % 4 != 0) continue;
      auto* slice = spec.mutable_placement()->add_slices();
      slice->set_tier(tier);
      slice->set_size(count % 2 == 0 && random() % 2 == 0 ? 2 : (count % 3 == 0 ? 3 : 1));
    }
    const int64_t pp = count % 2 == 0 ? 2 : 1;
    const Request request = RequestOf("d/j", spec, MegatronMesh({.tp = 2, .pp = pp}, count * 2)).value();
    const Decision decision = Place(request, cluster);
    const Exhaustive now = TryAll(request, cluster, false);
    ASSERT_EQ(std::holds_alternative<Placed>(decision), now.feasible) << ReasonOf(decision);
    if (const auto* p = std::get_if<Placed>(&decision)) {
      ++placed_count;
      const HopCosts costs = HopCosts::Default(2);
      EXPECT_EQ(p->placement.cost(), CostOf(request.traffic, *cluster.topology, costs, p->units));
      EXPECT_TRUE(SlicesHold(SliceRulesOf(request, *cluster.topology), *cluster.topology, p->units));
      EXPECT_EQ(p->spares.size(), static_cast<size_t>(spec.placement().spares()));
      EXPECT_LE(p->placement.lower_bound(), now.cost);
      Units by_name = p->units;
      std::sort(by_name.begin(), by_name.end());
      if (SlicesHold(SliceRulesOf(request, *cluster.topology), *cluster.topology, by_name)) {
        EXPECT_LE(p->placement.cost(), p->placement.name_order_cost());
      }
      EXPECT_GE(p->placement.cost(), now.cost);
      // What pulls a placement away from the least traffic must not raise the bound that is printed with it.
      v1::JobSpec wishing = spec;
      wishing.mutable_placement()->set_preferred("rack");
      wishing.mutable_placement()->set_spares(1);
      const Request wish = RequestOf("d/j", wishing, MegatronMesh({.tp = 2, .pp = pp}, count * 2)).value();
      const Decision wished = Place(wish, cluster);
      if (const auto* w = std::get_if<Placed>(&wished)) {
        EXPECT_LE(w->placement.lower_bound(), TryAll(wish, cluster, false).cost);
      }
      optimal += p->placement.cost() == now.cost ? 1 : 0;
      continue;
    }
    const bool ever = TryAll(request, cluster, true).feasible;
    EXPECT_EQ(std::holds_alternative<NotNow>(decision), ever) << ReasonOf(decision);
    ++(ever ? not_now : never);
  }
  EXPECT_GT(placed_count, 50);
  EXPECT_GT(not_now, 20);
  EXPECT_GT(never, 20);
  EXPECT_GE(optimal * 100, placed_count * 90) << optimal << " of " << placed_count;
}

}  // namespace
}  // namespace muster::placement
