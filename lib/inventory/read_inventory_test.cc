#include "lib/inventory/read_inventory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::inventory {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Inventory Read(const std::string& text, const ReadOptions& options = {}) {
  auto inventory = ReadInventory(text, "f", options);
  EXPECT_TRUE(inventory.ok()) << inventory.status();
  return inventory.ok() ? *std::move(inventory) : Inventory();
}

std::string Path(const Inventory& inventory, size_t node) {
  return PathText(PathOf(inventory.nodes[node].info().labels(), inventory.tiers));
}

std::string Node(const std::string& name, const std::string& labels, const std::string& more = "",
                 const std::string& spec = "{}") {
  return "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name + "\",\"uid\":\"u-" + name +
         "\",\"labels\":{" + labels + "}},\"spec\":" + spec +
         ",\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"8\",\"cpu\":\"95500m\",\"rdma/hca\":\"8\"}" + more + "}}";
}
std::string List(const std::vector<std::string>& items) {
  std::string text = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n";
  for (size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",\n") + items[i];
  return text + "\n]}\n";
}
const char kTopologyObject[] =
    R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":"t"},)"
    R"("spec":{"levels":[{"nodeLabel":"x/block"},{"nodeLabel":"x/rack"},{"nodeLabel":"kubernetes.io/hostname"}]}})";

TEST(ReadInventory, EveryFormat_IsToldFromItsText) {
  struct Row {
    std::string about;
    std::string text;
    std::vector<std::string> tiers;
    std::string path;  // of the first node
  };
  const std::vector<Row> rows = {
      {"muster",
       "tiers: [block, rack]\nnodes:\n- {name: a, labels: {block: b1, rack: r1}, capacity: {gpu: 8}}\n",
       {"block", "rack"},
       "b1/r1"},
      {"kubectl json",
       List({Node("a", R"("topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z")")}),
       {"region", "zone"},
       "r/z"},
      {"kubectl yaml",
       "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n    "
       "annotations:\n"
       "      x: 'y'\n    labels:\n      topology.gke.io/cluster: c1\n      topology.gke.io/rack: \"7\"\n"
       "  status:\n    allocatable:\n      nvidia.com/gpu: \"8\"\n",
       {"cluster", "rack"},
       "c1/7"},
      {"one node a document",
       "---\n" + Node("a", R"("ib/pkey":"0x1","ib/torset":"t")") + "\n---\n" + Node("b", ""),
       {"pkey", "torset"},
       "0x1/t"},
      {"with a Topology object",
       List({kTopologyObject, Node("a", R"("x/block":"b","x/rack":"r")")}),
       {"block", "rack"},
       "b/r"},
      {"slurm tree", "# c\nSwitchName=s Switches=l\nSwitchName=l Nodes=a\n", {"spine", "leaf"}, "s/l"},
      {"slurm blocks", "BlockName=b Nodes=a[1-2]\nBlockSizes=2\n", {"block"}, "b"},
      {"slurm yaml", "- topology: t\n  tree:\n    switches:\n    - switch: l\n      nodes: a\n", {"leaf"}, "l"},
      {"ConfigMap",
       "apiVersion: v1\nkind: ConfigMap\ndata:\n  topology.conf: |\n    SwitchName=l Nodes=a[1-3]\n",
       {"leaf"},
       "l"},
      {"ConfigMap of yaml",
       "apiVersion: v1\nkind: ConfigMap\ndata:\n  topology.yaml: |\n    - topology: t\n      tree:\n        switches:\n"
       "          - {switch: l, nodes: a}\n",
       {"leaf"},
       "l"},
      {"topograph graph",
       R"({"instances":[{"id":"a","network_layers":["l","s"]},{"id":"b","network_layers":["m"]}]})",
       {"tier-1", "tier-0"},
       "s/l"},
      {"csv", "node,block,rack,gpus\na,b1,r1,8\nb,b1,,4\n", {"block", "rack"}, "b1/r1"},
      {"csv by tabs", "Hostname\tBlock\na\tb1\n", {"Block"}, "b1"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.about);
    const Inventory inventory = Read(row.text);
    ASSERT_FALSE(inventory.nodes.empty());
    EXPECT_EQ(inventory.tiers.Names(), row.tiers);
    EXPECT_EQ(inventory.nodes[0].info().name().substr(0, 1), "a");
    EXPECT_EQ(Path(inventory, 0), row.path);
  }
}

TEST(ReadInventory, KubernetesNodes_TellCapacityAndCondition) {
  const std::string not_ready =
      R"(,"conditions":[{"type":"DiskPressure","status":"False"},{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}])";
  const Inventory inventory = Read(List({
      Node(
          "ok", "",
          R"(,"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"InternalIP","address":"10.0.0.1"}])",
          R"({"taints":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"}]})"),
      Node("lost", "", not_ready),
      Node("cordoned", "", "",
           R"({"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]})"),
      Node("tainted", "", "", R"({"taints":[{"key":"dedicated","value":"infra","effect":"NoSchedule"}]})"),
      Node("accused", "", "", R"({"taints":[{"key":"muster.dev/unhealthy","effect":"NoSchedule"}]})"),
  }));
  ASSERT_EQ(inventory.nodes.size(), 5u);
  EXPECT_TRUE(inventory.has_capacity);
  const v1::Node& ok = inventory.nodes[0];
  EXPECT_EQ(ok.info().uid(), "u-ok");
  EXPECT_EQ(ok.info().address(), "10.0.0.1");
  EXPECT_EQ(ok.info().capacity().at("gpu"), 8);
  EXPECT_EQ(ok.info().capacity().at("rdma/hca"), 8);
  EXPECT_EQ(ok.condition(), v1::NODE_CONDITION_UNSPECIFIED);
  EXPECT_EQ(inventory.nodes[1].condition(), v1::LOST);
  EXPECT_EQ(inventory.nodes[1].reason(), "not ready: NodeStatusUnknown");
  EXPECT_EQ(inventory.nodes[2].condition(), v1::DRAINING);
  EXPECT_EQ(inventory.nodes[2].reason(), "cordoned");
  EXPECT_EQ(inventory.nodes[3].reason(), "taint dedicated=infra:NoSchedule");
  EXPECT_EQ(inventory.nodes[4].condition(), v1::QUARANTINED);
  const Inventory tolerated =
      Read(List({Node("t", "", "", R"({"taints":[{"key":"dedicated","effect":"NoSchedule"}]})")}),
           {.tolerations = {"dedicated"}});
  EXPECT_EQ(tolerated.nodes[0].condition(), v1::NODE_CONDITION_UNSPECIFIED);
}

TEST(ReadInventory, Levels_AreKeysOrAPreset) {
  const std::string text = List({Node("a", R"("x/block":"b","y/rack":"r","topology.kubernetes.io/zone":"z")")});
  EXPECT_THAT(Read(text, {.levels = {"x/block", "y/rack", "kubernetes.io/hostname"}}).tiers.Names(),
              ElementsAre("block", "rack"));
  EXPECT_THAT(Read(text, {.levels = {"generic"}}).tiers.Names(), ElementsAre("region", "zone"));
  const auto unknown = ReadInventory(text, "f", {.levels = {"x/block", "x/nothing"}});
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("no node has the label x/nothing"));
}

TEST(ReadInventory, AcceleratorDomains_AreATierWhereTheyNest) {
  const std::string nested = "node,block,leaf,nvlink\na,b,l1,x\nb,b,l1,y\nc,b,l2,z\n";
  EXPECT_THAT(Read(nested).tiers.Names(), ElementsAre("block", "leaf", "nvlink"));
  const std::string above = "node,block,leaf,nvlink\na,b,l1,x\nb,b,l2,x\nc,b,l3,z\n";
  EXPECT_THAT(Read(above).tiers.Names(), ElementsAre("block", "nvlink", "leaf"));
  // One tier is enough for what is the same.
  const Inventory same = Read("node,block,leaf,nvlink\na,b,l1,x\nb,b,l1,x\nc,b,l2,y\n");
  EXPECT_THAT(same.tiers.Names(), ElementsAre("block", "leaf"));
  EXPECT_THAT(same.notes, Contains(HasSubstr("are those of tier leaf")));
  const std::string across = "node,block,leaf,nvlink\na,b,l1,x\nb,b,l1,y\nc,b,l2,x\n";
  const Inventory inventory = Read(across);
  EXPECT_THAT(inventory.tiers.Names(), ElementsAre("block", "leaf"));
  EXPECT_THAT(inventory.notes, Contains(HasSubstr("cut across")));
}

TEST(ReadInventory, OneValueUnderTwoParents_IsTwoDomainsAndSaidSo) {
  const Inventory inventory = Read("node,block,rack\na,b1,r1\nb,b2,r1\n");
  EXPECT_THAT(inventory.notes,
              Contains(HasSubstr("rack values under several parents are domains of their own: r1 (2 times)")));
}

TEST(ReadInventory, Csv_ReadsQuotesStatesAndJobs) {
  const Inventory inventory = Read(
      "node;\"rack\";gpu;state;reason;job\r\n\"a \"\"1\"\"\"; r 1 ;8;down;\"a;b\";\r\nb;r2;4;;;team/x\r\n# note\n");
  ASSERT_EQ(inventory.nodes.size(), 2u);
  EXPECT_EQ(inventory.nodes[0].info().name(), "a \"1\"");
  EXPECT_EQ(Path(inventory, 0), "r 1");
  EXPECT_EQ(inventory.nodes[0].condition(), v1::LOST);
  EXPECT_EQ(inventory.nodes[0].reason(), "a;b");
  EXPECT_EQ(inventory.nodes[1].job(), "team/x");
  EXPECT_EQ(inventory.nodes[1].use(), v1::ASSIGNED);
}

TEST(ReadInventory, MusterFile_MayTellConditionAndJob) {
  const Inventory inventory = Read(
      "nodes:\n- {name: a, capacity: {gpu: 8}, condition: quarantined, reason: slow NIC}\n- {name: b, job: t/x}\n");
  EXPECT_EQ(inventory.nodes[0].condition(), v1::QUARANTINED);
  EXPECT_EQ(inventory.nodes[0].reason(), "slow NIC");
  EXPECT_EQ(inventory.nodes[1].use(), v1::ASSIGNED);
}

TEST(ReadInventory, Formats_AreFoundByName) {
  for (const std::string& name : FormatNames()) EXPECT_TRUE(FindFormat(name).has_value()) << name;
  EXPECT_FALSE(FindFormat("xml").has_value());
}

}  // namespace
}  // namespace muster::inventory
