#include "lib/inventory/slurm_topology.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/inventory/slurm_conf.h"
#include "lib/inventory/slurm_yaml.h"
#include "lib/inventory/source_error.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SlurmConf, Tree_HasLevelsPathsAndTiers) {
  const auto topology = ParseSlurmConf(
      "# two halls\nswitchname=top Switches=agg,edge9\nSwitchName=agg \\\n  Switches=edge[1-2] LinkSpeed=400\n"
      "SwitchName=edge1 Nodes=a[1-2]  # near\nSwitchName=edge2 Nodes=a[3-4]\nSwitchName=edge9 Nodes=b1\n",
      "t.conf");
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_THAT(SwitchPath(*topology, "a3"), ElementsAre("top", "agg", "edge2"));
  EXPECT_THAT(SwitchPath(*topology, "b1"), ElementsAre("top", "edge9"));
  const auto inventory = InventoryOf(*topology, "t.conf");
  ASSERT_TRUE(inventory.ok()) << inventory.status();
  EXPECT_THAT(inventory->tiers.Names(), ElementsAre("core", "spine", "leaf"));
  ASSERT_EQ(inventory->nodes.size(), 5u);
  EXPECT_EQ(PathText(PathOf(inventory->nodes[2].info().labels(), inventory->tiers)), "top/agg/edge2");
  EXPECT_EQ(PathText(PathOf(inventory->nodes[4].info().labels(), inventory->tiers)), "top/-/edge9");
  EXPECT_FALSE(inventory->has_capacity);
}

TEST(SlurmConf, Blocks_GiveUnitsAsTiers) {
  const auto topology =
      ParseSlurmConf("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\n", "b.conf");
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_THAT(topology->block_sizes, ElementsAre(2, 4, 8));
  const auto units = UnitsOf(*topology);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_THAT(units[0].blocks, ElementsAre("b1", "b2"));
  EXPECT_THAT(units[1].blocks, ElementsAre("b1", "b2", "b3"));
  const auto inventory = InventoryOf(*topology, "b.conf");
  ASSERT_TRUE(inventory.ok());
  EXPECT_THAT(inventory->tiers.Names(), ElementsAre("blocks-4", "blocks-2", "block"));
  EXPECT_EQ(PathText(PathOf(inventory->nodes[5].info().labels(), inventory->tiers)), "unit-1/-/b3");
}

TEST(SlurmYaml, SeveralTopologies_TheDefaultCountsAndBlocksAreAccelerators) {
  const auto tree = ParseYaml(
      "- topology: nv\n  block: {block_sizes: [2], blocks: [{block: r1, nodes: \"v[1-2]\"}]}\n"
      "- topology: fabric\n  cluster_default: true\n  tree: {switches: [{switch: s1, nodes: \"v[1-4]\"}]}\n"
      "- topology: plain\n  flat: true\n",
      "t.yaml");
  ASSERT_TRUE(tree.ok());
  ASSERT_TRUE(IsSlurmYaml(*tree));
  const auto topologies = ReadSlurmYaml(*tree, "t.yaml");
  ASSERT_TRUE(topologies.ok()) << topologies.status();
  const auto inventory = InventoryOf(*topologies, "t.yaml");
  ASSERT_TRUE(inventory.ok()) << inventory.status();
  EXPECT_THAT(inventory->tiers.Names(), ElementsAre("leaf"));
  EXPECT_EQ(inventory->nodes[1].info().labels().at(inventory->accelerator_label), "r1");
  EXPECT_EQ(inventory->nodes[2].info().labels().count(inventory->accelerator_label), 0u);
  EXPECT_THAT(inventory->notes.back(), HasSubstr("topology fabric is used; not used: plain"));
}

TEST(SlurmConf, Faults_AreNamedWithKindAndLine) {
  struct Row {
    std::string text;
    std::string kind;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a\n", "several_parents",
       "t:3: switch a is below b and below c"},
      {"SwitchName=a Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a\n", "cycle",
       "switch a is below itself, by way of b"},
      {"SwitchName=x Nodes=n1\nSwitchName=a Switches=b\nSwitchName=b Switches=a\n", "cycle", "t:2: switch a"},
      {"SwitchName=a Switches=zz\n", "bad_child", "t:1: switch a: child zz is not defined"},
      {"SwitchName=a Nodes=n[1-99999999]\n", "bad_hostlist", "gives more than 20000 names"},
      {"SwitchName=a Nodes=n[99999999999999999999]\n", "bad_hostlist", "is no range"},
      {"SwitchName=a Nodes=n1,,n2\n", "bad_hostlist", "empty name"},
      {"SwitchName=a Nodes=n1 Nodes=n2\n", "bad_value", "Nodes is there twice"},
      {"SwitchName=a Nodez=n1\n", "unknown_key", "did you mean Nodes?"},
      {"what is this\n", "unknown_key", "\"what\" is no Key=Value"},
      {"BlockName=a Nodes=n1\nBlockSizes=3,5\n", "bad_block_sizes", "block size 5 is not 3 × 1, 2, 4"},
      {"BlockName=a Nodes=n1\nBlockSizes=-4\n", "bad_block_sizes", "\"-4\" is no number of nodes"},
      {"BlockName=a Nodes=n1\nBlockSizes=9223372036854775807\n", "bad_block_sizes", "is no number of nodes"},
      {"BlockName=a Nodes=n1\nSwitchName=b Nodes=n2\n", "mixed_formats", "t:2: a switch in a file of blocks"},
      {"# nothing\n\n", "empty", "the file says nothing"},
      {"SwitchName=" + std::string(65, 'x') + " Nodes=n1\n", "name_too_long", "65 characters; at most 64"},
      {"SwitchName=a Nodes=" + std::string(2 << 20, 'n') + "\n", "too_long", "t:1: the line has"},
  };
  for (const Row& row : rows) {
    const auto topology = ParseSlurmConf(row.text, "t");
    ASSERT_FALSE(topology.ok()) << row.says;
    EXPECT_EQ(KindOf(topology.status()), row.kind) << topology.status();
    EXPECT_THAT(std::string(topology.status().message()), HasSubstr(row.says));
    EXPECT_LT(topology.status().message().size(), 400u);
  }
}

}  // namespace
}  // namespace muster::inventory
