#include "lib/job/node_file.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/job/node_names.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NodeFile, RangesAndTierNames_BecomeNodes) {
  const auto file = ParseNodeFile(R"(
tiers: [net.example.com/block, {name: rack, label: net.example.com/topology-leaf}]
nodes:
  - {name: "gpu-a[01-04]", labels: {block: b1, rack: r1, pool: x}, capacity: {gpu: 8}}
  - {name: gpu-x, labels: {net.example.com/block: b1}, capacity: {gpu: 4}}
)",
                                  "c.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->nodes.size(), 5u);
  EXPECT_EQ(file->nodes[2].info().name(), "gpu-a03");
  EXPECT_EQ(file->nodes[2].info().labels().at("net.example.com/topology-leaf"), "r1");
  EXPECT_EQ(file->nodes[2].info().labels().at("pool"), "x");
  EXPECT_EQ(file->nodes[2].info().capacity().at("gpu"), 8);
  EXPECT_EQ(PathText(PathOf(file->nodes[4].info().labels(), file->tiers)), "b1/-");
}

TEST(NodeNames, Brackets_Expand) {
  EXPECT_THAT(*ExpandNames("n", 9), ElementsAre("n"));
  EXPECT_THAT(*ExpandNames("n[1-3,7]", 9), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(*ExpandNames("r[1-2]-n[08-10]x", 9),
              ElementsAre("r1-n08x", "r1-n09x", "r1-n10x", "r2-n08x", "r2-n09x", "r2-n10x"));
}

TEST(NodeFile, BadFiles_NameLineAndWayOut) {
  struct Row {
    std::string text, says;
  };
  const std::vector<Row> rows = {
      {"", "f:1: the file holds nothing"},
      {"nodez: []\n", "f:1: nodez: unknown field; did you mean \"nodes\"?"},
      {"tiers: [rack]\n", "nodes: there are no nodes"},
      {"nodes: {}\n", "nodes: there are no nodes"},
      {"nodes:\n- {labels: {}}\n", "f:2: nodes[0].name: it is empty"},
      {"nodes:\n- {name: a}\n- {name: a}\n", "f:3: nodes[1].name: node \"a\" is already there, on line 2"},
      {"nodes:\n- {name: \"a[3-1]\"}\n", "f:2: nodes[0].name: range 3-1 runs backwards"},
      {"nodes:\n- {name: \"a[1-\"}\n", "nodes[0].name: a bracket of \"a[1-\" has no partner"},
      {"nodes:\n- {name: \"a[x-y]\"}\n", "[x-y] is no range"},
      {"nodes:\n- {name: \"a[0-99999999]\"}\n", "gives more than 20000 names"},
      {"nodes:\n- {name: \"a[1-200]b[1-200]\"}\n", "the ranges give more than 20000 names"},
      {"nodes:\n- {name: a, capacity: {gpu: -1}}\n", "nodes[0].capacity.gpu: -1 is negative"},
      {"nodes:\n- {name: a, capacity: {gpu: many}}\n", "nodes[0].capacity.gpu: \"many\" is not a whole number"},
      {"nodes:\n- {name: a, lables: {}}\n", "nodes[0].lables: unknown field; did you mean \"labels\"?"},
      {"nodes:\n- {name: \"a[1-2]\", uid: x}\n", "nodes[0]: uid or address of several nodes"},
      {"tiers: [rack, rack]\nnodes:\n- {name: a}\n", "tiers[1]: label \"rack\" is there twice"},
      {"tiers: [\"\"]\nnodes:\n- {name: a}\n", "tiers[0]: the name is empty"},
      {"tiers: [a,b,c,d,e,f,g,h,i]\nnodes:\n- {name: a}\n", "there are 9 tiers; at most 8"},
      {"tiers: rack\nnodes:\n- {name: a}\n", "tiers: a single value where a list belongs"},
      {"tiers: [{nam: x}]\nnodes:\n- {name: a}\n", "tiers[0].nam: unknown field"},
  };
  for (const Row& row : rows) {
    const auto file = ParseNodeFile(row.text, "f");
    ASSERT_FALSE(file.ok()) << row.text;
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(row.says)) << row.text;
  }
}

}  // namespace
}  // namespace muster
