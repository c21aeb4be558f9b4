#include "lib/topology/topology.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tiers ThreeTiers() { return *Tiers::FromLabels({"zone", "block", "rack"}); }

std::shared_ptr<const Topology> Make(std::vector<TopologyNode> nodes) {
  auto made = Topology::Create(ThreeTiers(), std::move(nodes));
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

std::vector<std::string> TreeNames(const Topology& topology) {
  std::vector<std::string> names;
  for (const NodeIndex node : topology.tree_order()) names.push_back(topology.node(node).name);
  return names;
}

std::vector<std::string> DomainPaths(const Topology& topology) {
  std::vector<std::string> paths;
  for (const Domain& domain : topology.domains()) paths.push_back(domain.path);
  return paths;
}

const std::vector<TopologyNode> kRagged = {
    {"n10", {"z1", "b1", "r1"}}, {"n2", {"z1", "b1", "r1"}}, {"n3", {"z1", "b1", ""}}, {"n4", {"z1", "", "r1"}},
    {"n5", {"z1", "", "r1"}},    {"n6", {"", "", ""}},       {"n7", {"", "", ""}},     {"n8", {"z1", "b2", "r1"}},
    {"n9", {"", "b1", ""}},      {"n11", {"", "b1", "r1"}},  {"n1", {"z1", "", ""}},   {"n12", {"z2", "b1", "r1"}},
};

TEST(Topology, RaggedPaths_FormOneTreeInNaturalOrder) {
  const auto topology = Make(kRagged);
  EXPECT_THAT(DomainPaths(*topology), ElementsAre("the cluster", "z1", "z1/b1", "z1/b1/r1", "z1/b2", "z1/b2/r1",
                                                  "z1/-/r1", "z2", "z2/b1", "z2/b1/r1", "-/b1", "-/b1/r1"));
  EXPECT_THAT(TreeNames(*topology),
              ElementsAre("n2", "n10", "n3", "n8", "n4", "n5", "n1", "n12", "n11", "n9", "n6", "n7"));
  const Domain& root = topology->domain(Topology::root());
  EXPECT_EQ(root.size(), 12);
  EXPECT_EQ(root.own_nodes.size(), 2u);
  EXPECT_EQ(root.last_domain, 12);
  EXPECT_EQ(topology->domain(DomainIndex(1)).size(), 7);
  EXPECT_EQ(topology->domain(DomainIndex(1)).last_domain, 7);
}

TEST(Topology, SharedTier_IsTheDeepestCommonDomain) {
  const auto topology = Make(kRagged);
  struct Row {
    std::string a, b;
    int tier;
  };
  const std::vector<Row> rows = {
      {"n2", "n10", 2},       {"n2", "n3", 1},  {"n2", "n8", 0},       {"n2", "n4", 0},
      {"n4", "n5", 2},        {"n4", "n8", 0},  {"n6", "n7", kNoTier}, {"n2", "n12", kNoTier},
      {"n11", "n2", kNoTier}, {"n11", "n9", 1}, {"n1", "n2", 0},       {"n1", "n6", kNoTier},
  };
  for (const Row& row : rows) {
    const NodeIndex a = *topology->Find(row.a);
    const NodeIndex b = *topology->Find(row.b);
    EXPECT_EQ(topology->SharedTier(a, b), row.tier) << row.a << " " << row.b;
    EXPECT_EQ(topology->SharedTier(b, a), row.tier) << row.b << " " << row.a;
  }
}

TEST(Topology, DomainOf_UnknownLabelHasNone) {
  const auto topology = Make(kRagged);
  EXPECT_FALSE(topology->DomainOf(*topology->Find("n3"), 2).has_value());
  EXPECT_FALSE(topology->DomainOf(*topology->Find("n4"), 1).has_value());
  EXPECT_EQ(topology->domain(*topology->DomainOf(*topology->Find("n4"), 0)).path, "z1");
  EXPECT_EQ(topology->DomainsOfTier(1).size(), 4u);
  EXPECT_FALSE(topology->Find("n99").has_value());
  std::vector<NodeIndex> nodes = {*topology->Find("n6"), *topology->Find("n7"), *topology->Find("n2"),
                                  *topology->Find("n10")};
  EXPECT_EQ(topology->CountTouched(nodes, 2), 3);
}

TEST(Topology, ArrivalOrder_ChangesNothing) {
  const auto expected = Make(kRagged);
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<TopologyNode> nodes = kRagged;
    std::shuffle(nodes.begin(), nodes.end(), random);
    const auto topology = Make(nodes);
    EXPECT_EQ(TreeNames(*topology), TreeNames(*expected));
    EXPECT_EQ(DomainPaths(*topology), DomainPaths(*expected));
  }
}

TEST(Topology, RandomPaths_AgreeWithTheDefinition) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<TopologyNode> nodes;
    for (int i = 0; i < 12; ++i) {
      TopologyPath path(3);
      for (std::string& label : path) label = random() % 4 == 0 ? "" : std::string(1, 'a' + random() % 2);
      nodes.push_back({"n" + std::to_string(i), path});
    }
    const auto topology = Make(nodes);
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j) {
        int shared = kNoTier;
        for (int tier = 0; tier < 3; ++tier) {
          const bool equal = std::equal(nodes[i].path.begin(), nodes[i].path.begin() + tier + 1, nodes[j].path.begin());
          if (equal && !nodes[i].path[tier].empty()) shared = tier;
        }
        const NodeIndex a = *topology->Find(nodes[i].name);
        EXPECT_EQ(topology->SharedTier(a, *topology->Find(nodes[j].name)), shared);
      }
    }
    for (size_t i = 1; i < topology->domains().size(); ++i) {
      const Domain& domain = topology->domains()[i];
      const Domain& parent = topology->domain(domain.parent);
      EXPECT_LT(parent.tier, domain.tier);
      EXPECT_LE(parent.first_node, domain.first_node);
      EXPECT_GE(parent.last_node, domain.last_node);
    }
  }
}

// All of a snapshot, as text.
std::string Dump(const Topology& topology) {
  std::string text;
  for (int32_t i = 0; i < topology.size(); ++i) {
    const TopologyNode& node = topology.node(NodeIndex(i));
    text += node.name + " " + PathText(node.path) + " " + node.accelerator + " " +
            std::to_string(topology.HomeOf(NodeIndex(i)).value()) + "\n";
  }
  for (const NodeIndex node : topology.tree_order()) text += std::to_string(node.value()) + " ";
  for (const Domain& domain : topology.domains()) {
    text += "\n" + domain.path + " " + std::to_string(domain.tier) + " " + std::to_string(domain.parent.value()) + " " +
            std::to_string(domain.first_node) + "-" + std::to_string(domain.last_node) + " " +
            std::to_string(domain.last_domain) + ":";
    for (const DomainIndex child : domain.children) text += " " + std::to_string(child.value());
    text += ";";
    for (const NodeIndex node : domain.own_nodes) text += " " + std::to_string(node.value());
  }
  return text;
}

TEST(Topology, ChangesOfOneNode_GiveWhatCreateGives) {
  std::mt19937 random(17);
  std::map<std::string, TopologyNode> nodes;
  std::shared_ptr<const Topology> topology = Make({});
  for (int round = 0; round < 600; ++round) {
    const std::string name = "n" + std::to_string(random() % 24);
    if (random() % 4 == 0) {
      nodes.erase(name);
      topology = topology->Without(name);
    } else {
      TopologyPath path(3);
      for (std::string& label : path) label = random() % 4 == 0 ? "" : std::string(1, 'a' + random() % 3);
      nodes[name] = {name, path, random() % 2 == 0 ? "" : "x"};
      const auto changed = topology->With(nodes[name]);
      ASSERT_TRUE(changed.ok()) << changed.status();
      topology = *changed;
    }
    std::vector<TopologyNode> all;
    for (const auto& [key, node] : nodes) all.push_back(node);
    ASSERT_EQ(Dump(*topology), Dump(*Make(all))) << "round " << round;
  }
}

TEST(Topology, BadChange_IsRefusedAsInCreate) {
  const auto topology = Make(kRagged);
  EXPECT_THAT(std::string(topology->With({"n1", {"z1"}}).status().message()), HasSubstr("nodes.n1: its path has 1"));
  EXPECT_THAT(std::string(topology->With({"", {"", "", ""}}).status().message()), HasSubstr("no name"));
}

TEST(Topology, NoNodesOrNoTiers_AreLegal) {
  EXPECT_EQ(Make({})->size(), 0);
  const auto flat = Topology::Create(Tiers(), {{"a", {}}, {"b", {}}});
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ((*flat)->SharedTier(NodeIndex(0), NodeIndex(1)), kNoTier);
}

TEST(Topology, BadNodes_AreRefusedByName) {
  struct Row {
    std::vector<TopologyNode> nodes;
    std::string says;
  };
  const std::vector<Row> rows = {
      {{{"", {"", "", ""}}}, "a node has no name"},
      {{{"a", {"", "", ""}}, {"b", {"", "", ""}}, {"a", {"z", "", ""}}}, "nodes.a: there are two nodes of this name"},
      {{{std::string(300, 'a'), {"", "", ""}}}, "the name has 300 characters; at most 253"},
      {{{"a", {"z", std::string(300, 'a'), ""}}}, "nodes.a.labels.block: the value has 300 characters; at most 256"},
      {{{"a", {"z", "", ""}, std::string(300, 'x')}}, "nodes.a.accelerator: the domain has 300 characters"},
      {{{"a", {"z"}}}, "nodes.a: its path has 1 entries for 3 tiers"},
  };
  for (const Row& row : rows) {
    const auto made = Topology::Create(ThreeTiers(), row.nodes);
    ASSERT_FALSE(made.ok()) << row.says;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace muster
