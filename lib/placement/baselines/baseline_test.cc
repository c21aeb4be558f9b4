#include "lib/placement/baselines/baseline.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Rack {
  TopologyPath path;
  std::vector<std::string> nodes;
};

std::shared_ptr<const Topology> Make(const std::vector<Rack>& racks) {
  std::vector<TopologyNode> nodes;
  for (const Rack& rack : racks) {
    for (const std::string& name : rack.nodes) nodes.push_back({name, rack.path});
  }
  return *Topology::Create(*Tiers::FromLabels({"block", "rack"}), std::move(nodes));
}

std::vector<std::string> Names(const Topology& topology, const Nodes& nodes) {
  std::vector<std::string> names;
  for (const NodeIndex node : nodes) names.push_back(topology.node(node).name);
  return names;
}

std::vector<std::string> Place(Baseline baseline, const Topology& topology, const BaselineJob& job,
                               const std::set<std::string>& busy = {}) {
  std::vector<bool> usable(topology.size(), true);
  for (const std::string& name : busy) usable[topology.Find(name)->value()] = false;
  const auto placed = PlaceAs(baseline, topology, usable, job);
  return placed.ok() ? Names(topology, *placed) : std::vector<std::string>{std::string(placed.status().message())};
}

const std::vector<Rack> kRacks = {
    {{"b1", "r1"}, {"a1", "a2", "a3"}},
    {{"b1", "r2"}, {"a4", "a5"}},
    {{"b2", "r1"}, {"a6", "a7", "a8", "a10"}},
    {{"b2", "r10"}, {"a9", "a11"}},
};

TEST(Kueue, OneDomain_IsTheTightestThatHolds) {
  const auto topology = Make(kRacks);
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 2}), ElementsAre("a4", "a5"));
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 3}), ElementsAre("a1", "a2", "a3"));
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 5}), ElementsAre("a1", "a2", "a3", "a4", "a5"));
}

TEST(Kueue, SeveralDomains_FullestFirstThenTightestInStringOrder) {
  const auto topology = Make(kRacks);
  // Both blocks are needed; of all their racks the fullest (b2/r1), then the tightest for the other three (b1/r1).
  // Ranks go by text: a10 before a6.
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 7}), ElementsAre("a1", "a2", "a3", "a10", "a6", "a7", "a8"));
}

TEST(Kueue, RequiredTier_IsNotLeft) {
  const auto topology = Make(kRacks);
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 5, .required_tier = 1}),
              ElementsAre(HasSubstr("kueue's rule finds no 5 nodes")));
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 5, .required_tier = 0}),
              ElementsAre("a1", "a2", "a3", "a4", "a5"));
}

TEST(Kueue, Slices_CountWholeOnesOnly) {
  const auto topology = Make(kRacks);
  // Rack b1/r1 holds one slice of 2 of its three nodes.
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 4, .slices = {{1, 2}}}),
              ElementsAre("a10", "a6", "a7", "a8"));
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 4, .slices = {{1, 2}}}, {"a8"}),
              ElementsAre("a1", "a2", "a4", "a5"));
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 6, .slices = {{0, 6}, {1, 2}}}),
              ElementsAre("a10", "a6", "a7", "a8", "a11", "a9"));
}

TEST(Kueue, UnlabelledNodes_AreNoCandidates) {
  const auto topology = Make({{{"b1", ""}, {"x1", "x2"}}, {{"b1", "r1"}, {"x3"}}});
  EXPECT_THAT(Place(Baseline::kKueue, *topology, {.units = 2}), ElementsAre(HasSubstr("finds no 2 nodes")));
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 2}), ElementsAre("x1", "x2"));
}

TEST(Slurm, LowestSwitch_ThenBestFitLeaves) {
  const auto topology = Make(kRacks);
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 2}), ElementsAre("a4", "a5"));
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 5}), ElementsAre("a1", "a2", "a3", "a4", "a5"));
  // No leaf holds 7: the fullest (b2/r1), then the tightest for the other three (b1/r1).
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 7}), ElementsAre("a1", "a2", "a3", "a6", "a7", "a8", "a10"));
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 12}), ElementsAre(HasSubstr("slurm's rule finds no 12")));
  EXPECT_THAT(Place(Baseline::kSlurm, *topology, {.units = 5, .required_tier = 1}),
              ElementsAre(HasSubstr("finds no 5 nodes")));
}

TEST(Torchrun, OrdersKueuesNodesByHostName) {
  const auto topology = Make({{{"b1", "r1"}, {"n9", "n1"}}, {{"b1", "r2"}, {"n10", "n2"}}});
  EXPECT_THAT(Place(Baseline::kTorchrun, *topology, {.units = 4}), ElementsAre("n1", "n10", "n2", "n9"));
  EXPECT_THAT(Place(Baseline::kTorchrun, *topology, {.units = 4, .slices = {{1, 2}}}),
              ElementsAre("torchrun's order breaks a slice"));
}

TEST(Baselines, NamesAreFoundAgain) {
  for (const Baseline baseline : AllBaselines()) EXPECT_EQ(FindBaseline(BaselineName(baseline)), baseline);
  EXPECT_FALSE(FindBaseline("random").has_value());
}

TEST(Baselines, RandomClusters_GiveDistinctUsableNodesOrSaySo) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Rack> racks;
    const int nodes = 1 + random() % 20;
    for (int i = 0; i < nodes; ++i) {
      TopologyPath path(2);
      for (std::string& label : path) label = random() % 8 == 0 ? "" : std::string(1, 'a' + random() % 3);
      racks.push_back({path, {"n" + std::to_string(i)}});
    }
    const auto topology = Make(racks);
    std::vector<bool> usable(nodes);
    for (int i = 0; i < nodes; ++i) usable[i] = random() % 3 != 0;
    BaselineJob job{.units = static_cast<int32_t>(1 + random() % 12)};
    job.required_tier = static_cast<int>(random() % 4) - 1;
    if (job.required_tier > 1) job.required_tier = kNoTier;
    if (job.units % 2 == 0 && random() % 2 == 0) job.slices = {{static_cast<int>(random() % 2), 2}};
    for (const Baseline baseline : AllBaselines()) {
      const auto placed = PlaceAs(baseline, *topology, usable, job);
      if (!placed.ok()) continue;
      ASSERT_EQ(placed->size(), static_cast<size_t>(job.units));
      EXPECT_EQ(std::set<NodeIndex>(placed->begin(), placed->end()).size(), placed->size());
      for (const NodeIndex node : *placed) EXPECT_TRUE(usable[node.value()]);
      if (job.required_tier == kNoTier) continue;
      const auto domain = topology->DomainOf(placed->front(), job.required_tier);
      ASSERT_TRUE(domain.has_value());
      for (const NodeIndex node : *placed) EXPECT_EQ(topology->DomainOf(node, job.required_tier), domain);
    }
  }
}

}  // namespace
}  // namespace muster::placement
