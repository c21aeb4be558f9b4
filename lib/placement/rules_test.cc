// What a job may ask for beside cheap traffic: counts by domain, replicas apart, nodes to avoid or to prefer, prices.

#include "lib/placement/rules.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/repair.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Four racks of six nodes in two blocks.
Cluster FourRacks() {
  return ClusterOf({"block", "rack"}, {{{"b1", "r1"}, NodeNames("a", 6)},
                                       {{"b1", "r2"}, NodeNames("b", 6)},
                                       {{"b2", "r1"}, NodeNames("c", 6)},
                                       {{"b2", "r2"}, NodeNames("d", 6)}});
}

v1::JobSpec SpecOf(int32_t members) {
  v1::JobSpec spec = Job(members, 8);
  spec.mutable_mesh()->set_dialect("megatron");
  return spec;
}

Request RequestFor(const v1::JobSpec& spec, int64_t pp = 1) {
  return RequestOf("d/j", spec, MegatronMesh({.tp = 8, .pp = pp}, int64_t{spec.members()} * 8)).value();
}

std::map<std::string, int> CountByRack(const Cluster& cluster, const Units& units) {
  std::map<std::string, int> counts;
  for (const NodeIndex unit : units) ++counts[cluster.topology->domain(cluster.topology->HomeOf(unit)).path];
  return counts;
}

Placed MustPlace(const Request& request, const Cluster& cluster) {
  Decision decision = Place(request, cluster);
  EXPECT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  return std::holds_alternative<Placed>(decision) ? std::get<Placed>(std::move(decision)) : Placed();
}

std::set<std::string> NodesOf(const Placed& placed) {
  std::set<std::string> names;
  for (const v1::PlacedNode& rank : placed.placement.ranks()) names.insert(rank.node());
  return names;
}

TEST(PerDomain, Most_SpreadsOverRacks) {
  v1::JobSpec spec = SpecOf(8);
  v1::PlacementSpec::PerDomain& counts = *spec.mutable_placement()->add_per_domain();
  counts.set_tier("rack");
  counts.set_max(2);
  const Cluster cluster = FourRacks();
  for (const auto& [rack, count] : CountByRack(cluster, MustPlace(RequestFor(spec), cluster).units)) {
    EXPECT_EQ(count, 2) << rack;
  }
  spec.set_members(9);
  const Decision never = Place(RequestFor(spec), cluster);
  ASSERT_TRUE(std::holds_alternative<Never>(never));
  EXPECT_EQ(
      ReasonOf(never),
      "9 nodes, at most 2 nodes in each rack used, are needed; the cluster has 24 in all that fit, of which these "
      "bounds let it have 8");
}

TEST(PerDomain, Least_LeavesNoRackWithFewer) {
  v1::JobSpec spec = SpecOf(9);
  v1::PlacementSpec::PerDomain& counts = *spec.mutable_placement()->add_per_domain();
  counts.set_tier("rack");
  counts.set_min(4);
  const Cluster cluster = FourRacks();
  for (const auto& [rack, count] : CountByRack(cluster, MustPlace(RequestFor(spec), cluster).units)) {
    EXPECT_GE(count, 4) << rack;
  }
  // 7 can't be shared out over racks of 6 with four at least in each: Never, though there are nodes enough.
  spec.set_members(7);
  const Decision never = Place(RequestFor(spec), cluster);
  ASSERT_TRUE(std::holds_alternative<Never>(never));
  EXPECT_THAT(ReasonOf(never), HasSubstr("of which these bounds let it have 6"));
}

TEST(PerDomain, NodesInUse_AreNotNow) {
  v1::JobSpec spec = SpecOf(8);
  v1::PlacementSpec::PerDomain& counts = *spec.mutable_placement()->add_per_domain();
  counts.set_tier("block");
  counts.set_min(4);
  counts.set_max(4);
  Cluster cluster = FourRacks();
  for (int i = 12; i < 21; ++i) cluster.states[i].free = false;  // c1..c6, d1..d3
  const Decision decision = Place(RequestFor(spec), cluster);
  ASSERT_TRUE(std::holds_alternative<NotNow>(decision)) << ReasonOf(decision);
  EXPECT_EQ(CanPlace(RequestFor(spec), cluster), v1::NOT_NOW);
}

TEST(PerDomain, MembersThatDoNotFillNodes_AreRefused) {
  v1::JobSpec spec = Job(8, 4);
  spec.mutable_placement()->set_members_per_node(2);
  v1::PlacementSpec::PerDomain& counts = *spec.mutable_placement()->add_per_domain();
  counts.set_tier("rack");
  counts.set_max(3);
  const absl::Status status = RequestOf("d/j", spec, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("spec.placement.perDomain[0].max: 3 members"));
}

TEST(Apart, Replicas_ShareNoRack) {
  v1::JobSpec spec = SpecOf(8);
  spec.mutable_placement()->mutable_apart()->set_axis("dp");
  spec.mutable_placement()->mutable_apart()->set_tier("rack");
  const Cluster cluster = FourRacks();
  const Request request = RequestFor(spec, 4);  // two replicas of four stages
  ASSERT_THAT(request.replica, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  const Placed placed = MustPlace(request, cluster);
  std::map<std::string, std::set<int32_t>> owners;
  for (size_t unit = 0; unit < placed.units.size(); ++unit) {
    owners[cluster.topology->domain(cluster.topology->HomeOf(placed.units[unit])).path].insert(request.replica[unit]);
  }
  for (const auto& [rack, replicas] : owners) EXPECT_EQ(replicas.size(), 1u) << rack;
  EXPECT_EQ(owners.size(), 2u);
}

TEST(Apart, TooFewDomains_IsNeverWithNumbers) {
  v1::JobSpec spec = SpecOf(12);
  spec.mutable_placement()->mutable_apart()->set_axis("dp");
  spec.mutable_placement()->mutable_apart()->set_tier("block");
  const Decision never = Place(RequestFor(spec, 4), FourRacks());
  ASSERT_TRUE(std::holds_alternative<Never>(never)) << ReasonOf(never);
  EXPECT_EQ(ReasonOf(never),
            "12 nodes, 3 replicas (dp) of 4 nodes that share no block, are needed; the cluster has 24 in all that fit, "
            "and whole blocks of them hold 2 of the replicas");
  EXPECT_THAT(std::get<Never>(never).ways_out, ::testing::Contains("placement.apart.tier: rack"));
}

TEST(Apart, AxisWithinANode_IsRefused) {
  v1::JobSpec spec = SpecOf(8);
  spec.mutable_placement()->mutable_apart()->set_axis("tp");
  spec.mutable_placement()->mutable_apart()->set_tier("rack");
  absl::Status status = RequestOf("d/j", spec, MegatronMesh({.tp = 8, .pp = 4}, 64)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("node rank 0 holds workers of tp 0 and tp 1"));
  spec.mutable_placement()->mutable_apart()->set_axis("ddp");
  status = RequestOf("d/j", spec, MegatronMesh({.tp = 8, .pp = 4}, 64)).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean \"dp\"?"));
  spec.mutable_placement()->mutable_apart()->set_axis("dp");
  spec.mutable_placement()->add_per_domain()->set_tier("rack");
  status = RequestOf("d/j", spec, MegatronMesh({.tp = 8, .pp = 4}, 64)).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("can't be kept together with slices or perDomain"));
}

TEST(Apart, Repair_StaysWithItsReplica) {
  v1::JobSpec spec = SpecOf(4);
  spec.mutable_placement()->mutable_apart()->set_axis("dp");
  spec.mutable_placement()->mutable_apart()->set_tier("rack");
  Cluster cluster = FourRacks();
  const Request request = RequestFor(spec, 2);
  RepairRequest repair;
  repair.request = &request;
  for (const char* name : {"a1", "b1", "a2", "b2"}) repair.units.push_back(*cluster.topology->Find(name));
  // The replica's own rack is full: another rack than the other replica's.
  for (int i = 0; i < 6; ++i) cluster.states[i].free = false;
  for (const NodeIndex node : repair.units) cluster.state_of(node).free = false;
  cluster.state_of(repair.units[0]).ok = false;
  repair.vacated = {0};
  const Decision decision = Repair(repair, cluster, HopCosts::Default(2));
  ASSERT_TRUE(std::holds_alternative<Placed>(decision)) << ReasonOf(decision);
  EXPECT_EQ(std::get<Placed>(decision).placement.ranks(0).node(), "c1");
}

TEST(AvoidNodes, AreTakenOnlyWhereItDoesNotFitWithout) {
  v1::JobSpec spec = SpecOf(4);
  for (const char* name : {"a1", "a2", "a3", "b1", "gone-long-ago"}) spec.mutable_placement()->add_avoid_nodes(name);
  const Cluster cluster =
      ClusterOf({"rack"}, {{{"r1"}, NodeNames("a", 4)}, {{"r2"}, NodeNames("b", 2)}, {{"r3"}, NodeNames("c", 2)}});
  EXPECT_THAT(NodesOf(MustPlace(RequestFor(spec), cluster)), ElementsAre("a4", "b2", "c1", "c2"));
  // One more than there are others: one of those to be avoided, no more.
  spec.set_members(5);
  const std::set<std::string> names = NodesOf(MustPlace(RequestFor(spec), cluster));
  EXPECT_THAT(names, ::testing::IsSupersetOf({"a4", "b2", "c1", "c2"}));
  EXPECT_EQ(names.size(), 5u);
}

TEST(AvoidNodes, WithoutTraffic_ComeBeforeTheLeastSpread) {
  v1::JobSpec spec = Job(5, 8);
  for (const char* name : {"a1", "a2", "a3"}) spec.mutable_placement()->add_avoid_nodes(name);
  const Cluster cluster =
      ClusterOf({"rack"}, {{{"r1"}, NodeNames("a", 4)}, {{"r2"}, NodeNames("b", 2)}, {{"r3"}, NodeNames("c", 1)}});
  const Placed placed = MustPlace(RequestOf("d/j", spec, nullptr).value(), cluster);
  EXPECT_THAT(NodesOf(placed), ::testing::IsSupersetOf({"a4", "b1", "b2", "c1"}));
}

TEST(PreferNodes, GoFirstWhereTheCostIsEqual) {
  v1::JobSpec spec = SpecOf(2);
  for (const char* name : {"c5", "c6", "a6"}) spec.mutable_placement()->add_prefer_nodes(name);
  const v1::Placement placement = MustPlace(RequestFor(spec), FourRacks()).placement;
  EXPECT_EQ(placement.ranks(0).node(), "c5");
  EXPECT_EQ(placement.ranks(1).node(), "c6");
}

TEST(PreferredPenalty, IsWeighedAgainstTraffic) {
  // Eight nodes fit into a rack of six and two more, or into two racks of another block alike.
  v1::JobSpec spec = SpecOf(8);
  spec.mutable_placement()->set_preferred("rack");
  spec.mutable_placement()->set_preferred_penalty(1'000);
  const Request request = RequestFor(spec);
  EXPECT_EQ(request.preferred_penalty, 1'000);
  const Placed placed = MustPlace(request, FourRacks());
  EXPECT_EQ(placed.score.preferred, 1'000);
  EXPECT_LE(placed.bound, placed.score.total());
}

TEST(SpareWeight, Zero_LeavesTheSpareAnywhere) {
  v1::JobSpec spec = SpecOf(6);
  spec.mutable_placement()->set_spares(1);
  spec.mutable_placement()->set_spare_weight(0);
  const Cluster cluster = FourRacks();
  const Placed free = MustPlace(RequestFor(spec), cluster);
  EXPECT_EQ(free.score.spares, 0);
  EXPECT_EQ(CountByRack(cluster, free.units).size(), 1u);
  spec.mutable_placement()->set_spare_weight(1'000'000);
  const Placed near = MustPlace(RequestFor(spec), cluster);
  EXPECT_GT(near.score.spares, 0);
}

}  // namespace
}  // namespace muster::placement
