#include "lib/topology/accelerators.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

std::shared_ptr<const Topology> Make(std::vector<TopologyNode> nodes) {
  return *Topology::Create(*Tiers::FromLabels({"block", "leaf"}), std::move(nodes));
}

TEST(Accelerators, Domains_AreInNaturalOrderAndLeaveOutNodesWithoutOne) {
  const auto topology = Make({{"a", {"b", "l"}, "nvl10"}, {"c", {"b", "l"}, "nvl2"}, {"d", {"b", "l"}, ""}});
  const auto domains = AcceleratorDomainsOf(*topology);
  ASSERT_EQ(domains.size(), 2u);
  EXPECT_EQ(domains[0].name, "nvl2");
  EXPECT_EQ(domains[1].name, "nvl10");
  EXPECT_EQ(domains[1].nodes, std::vector<NodeIndex>{NodeIndex(0)});
}

TEST(Accelerators, NestingTier_IsWhereTheyFit) {
  struct Row {
    std::string about;
    std::vector<TopologyNode> nodes;
    absl::optional<size_t> tier;
  };
  const std::vector<Row> rows = {
      {"below the leaf", {{"1", {"b", "l1"}, "x"}, {"2", {"b", "l1"}, "y"}, {"3", {"b", "l2"}, "z"}}, 2},
      {"equal to the leaf", {{"1", {"b", "l1"}, "x"}, {"2", {"b", "l2"}, "y"}}, 2},
      {"two leaves each", {{"1", {"b", "l1"}, "x"}, {"2", {"b", "l2"}, "x"}, {"3", {"b", "l3"}, "y"}}, 1},
      {"two blocks", {{"1", {"b1", "l1"}, "x"}, {"2", {"b2", "l1"}, "x"}}, 0},
      {"cut across", {{"1", {"b", "l1"}, "x"}, {"2", {"b", "l1"}, "y"}, {"3", {"b", "l2"}, "x"}}, absl::nullopt},
      {"none", {{"1", {"b", "l1"}, ""}}, absl::nullopt},
      {"a node without", {{"1", {"b", "l1"}, "x"}, {"2", {"b", "l1"}, ""}}, 2},
  };
  for (const Row& row : rows) EXPECT_EQ(NestingTier(*Make(row.nodes)), row.tier) << row.about;
}

}  // namespace
}  // namespace muster
