// What strangers' files may hold. Each is refused in one sentence with the file, the line where there is one, and a way
// out; nothing crashes, hangs or takes the text along into the message.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/inventory/read_inventory.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string NodeJson(const std::string& name, const std::string& labels, const std::string& gpus = "\"8\"") {
  return "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":" + name + ",\"labels\":" + labels +
         "},\"status\":{\"allocatable\":{\"nvidia.com/gpu\":" + gpus + "}}}";
}
std::string ListJson(const std::string& items) {
  return "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n" + items + "\n]}";
}
std::string TopologyJson(const std::string& levels) {
  return "{\"apiVersion\":\"kueue.x-k8s.io/v1beta1\",\"kind\":\"Topology\",\"spec\":{\"levels\":" + levels + "}}";
}

struct Row {
  std::string about;
  std::string text;
  std::string begins;  // file and line
  std::string says;
};

class BadInput : public ::testing::TestWithParam<Row> {};

TEST_P(BadInput, IsRefusedInOneSentence) {
  const auto inventory = ReadInventory(GetParam().text, "f", {});
  ASSERT_FALSE(inventory.ok());
  EXPECT_EQ(inventory.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(inventory.status().message());
  EXPECT_THAT(message, StartsWith(GetParam().begins));
  EXPECT_THAT(message, HasSubstr(GetParam().says));
  EXPECT_LT(message.size(), 500u);
}

std::string Dashes(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "- ";
  return text + "x\n";
}

const std::string kLong(300, 'x');
const std::string kTenMegabytes(10 << 20, 'x');

INSTANTIATE_TEST_SUITE_P(
    Files, BadInput,
    ::testing::ValuesIn(std::vector<Row>{
        {"empty", "", "f: ", "the file is empty; known formats: muster, kubernetes"},
        {"only_comments", "# one\n\n# two\n", "f: ", "the file is empty"},
        {"nul_yaml", std::string("nodes:\n- {name: \"a\0b\"}\n", 23), "f:2: ", "NUL byte"},
        {"nul_conf", std::string("SwitchName=a Nodes=n\0\n", 22), "f: ", "NUL byte"},
        {"half_json", "{\"apiVersion\": \"v1\",\n\"items\": [", "f:2: ", "unexpected end of input"},
        {"deep_json", std::string(100000, '['), "f:1: ", "more than 32 levels"},
        {"deep_yaml", Dashes(100), "f:1: ", "more than 32 levels"},
        {"anchors", "nodes: &a\n- {name: x}\n", "f:1: ", "anchors are not allowed"},

        {"csv_duplicate_node", "node,rack\na,r1\nb,r1\na,r2\n", "f:4: ", "node a is already there, on line 2"},
        {"csv_short_row", "node,rack,gpus\na,r1\n", "f:2: ", "the row has 2 fields, the heading 3"},
        {"csv_no_node_column", "block,rack\nb1,r1\n", "f:1: ", "no column is called node"},
        {"csv_column_twice", "node,rack,rack\na,r1,r1\n", "f:1: ", "column \"rack\" is there twice"},
        {"csv_negative", "node,gpus\na,-8\n", "f:2: ", "gpus: \"-8\" is no whole number of at least 0"},
        {"csv_overflow", "node,gpus\na,99999999999999999999\n", "f:2: ", "too large"},
        {"csv_suffix_overflow", "node,gpus\na,9223372036854775807Ki\n", "f:2: ", "too large"},
        {"csv_long_value", "node,rack\na," + kLong + "\n", "f:2: ", "has 300 characters; at most 256"},
        {"csv_open_quote", "node,rack\na,\"r1\nb,r2\n", "f:2: ", "a quote is not closed"},
        {"csv_bad_state", "node,state\na,sleepy\n", "f:2: ", "state \"sleepy\" is unknown; write ok, draining"},
        {"csv_bad_time", "node,until\na,tomorrow\n", "f:2: ", "\"tomorrow\" is no time; write 2026-"},
        {"csv_ten_megabyte_line", "node,rack\na," + kTenMegabytes + "\n", "f:2: ", "more than 1048576 characters"},
        {"csv_no_rows", "node,rack\n", "f:", "there are no nodes"},
        {"csv_nine_tiers", "node,a,b,c,d,e,f,g,h,i\nn,1,2,3,4,5,6,7,8,9\n", "f:1: ", "at most 8"},

        {"slurm_cycle", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "f:1: ", "a is below itself"},
        {"slurm_orphan", "SwitchName=a Switches=b\n", "f:1: ", "child b is not defined; define it"},
        {"slurm_two_parents", "SwitchName=l Nodes=n1\nSwitchName=a Switches=l\nSwitchName=b Switches=l\n",
         "f:3: ", "one parent a switch"},
        {"slurm_no_nodes", "SwitchName=a\n", "f:1: ", "lists no nodes"},
        {"slurm_ten_megabyte_line", "SwitchName=a Nodes=" + kTenMegabytes + "\n", "f:1: ", "at most 1048576"},
        {"slurm_too_many_names", "SwitchName=a Nodes=n[1-20001]\n", "f:1: ", "more than 20000"},
        {"slurm_endless_continuation", "SwitchName=a \\\n", "f:1: ", "lists no nodes"},
        {"slurm_ten_levels",
         "SwitchName=s0 Nodes=n\nSwitchName=s1 Switches=s0\nSwitchName=s2 Switches=s1\nSwitchName=s3 Switches=s2\n"
         "SwitchName=s4 Switches=s3\nSwitchName=s5 Switches=s4\nSwitchName=s6 Switches=s5\nSwitchName=s7 Switches=s6\n"
         "SwitchName=s8 Switches=s7\nSwitchName=s9 Switches=s8\n",
         "f:1: ", "at most 8 are allowed"},
        {"slurm_yaml_ring", "- topology: t\n  ring: {}\n", "f:1: ", "is of type ring; tree, block and flat"},
        {"slurm_yaml_no_type", "- topology: t\n", "f:1: ", "has no type"},
        {"slurm_yaml_scalar", "- topology: t\n  tree: oak\n", "f:2: ", "it must be a map with switches"},
        {"slurm_yaml_zero_size", "- topology: t\n  block:\n    block_sizes: [0]\n",
         "f:3: ", "\"0\" is no number of nodes"},
        {"slurm_yaml_flat_only", "- topology: t\n  flat: true\n", "f:1: ", "lists no nodes"},

        {"kube_no_node", ListJson(""), "f: ", "there is no Node in it"},
        {"kube_duplicate", ListJson(NodeJson("\"a\"", "{}") + ",\n" + NodeJson("\"a\"", "{}")),
         "f:3: ", "node a is already there, on line 2"},
        {"kube_no_name", ListJson(NodeJson("\"\"", "{}")), "f:2: ", "a Node has no name"},
        {"kube_name_is_a_list", ListJson(NodeJson("[]", "{}")), "f:2: ", "name: a list where text belongs"},
        {"kube_long_label", ListJson(NodeJson("\"a\"", "{\"x\": \"" + kLong + "\"}")), "f:2: ", "has 300 characters"},
        {"kube_long_name", ListJson(NodeJson("\"" + kLong + "\"", "{}")), "f:2: ", "300 characters"},
        {"kube_label_twice", ListJson(NodeJson("\"a\"", "{\"x\":\"1\",\"x\":\"2\"}")),
         "f:2: ", "label x is there twice"},
        {"kube_labels_list", ListJson(NodeJson("\"a\"", "[1]")), "f:2: ", "its labels are a list"},
        {"kube_negative_gpus", ListJson(NodeJson("\"a\"", "{}", "\"-1\"")), "f:2: ", "nvidia.com/gpu: \"-1\""},
        {"kube_huge_gpus", ListJson(NodeJson("\"a\"", "{}", "\"1e400\"")), "f:2: ", "no whole number"},
        {"kube_two_topologies", ListJson(TopologyJson("[{\"nodeLabel\":\"a\"}]") + ",\n" + TopologyJson("[]")),
         "f:3: ", "a second Topology object; the first is on line 2"},
        {"kube_topology_level_twice", ListJson(TopologyJson("[{\"nodeLabel\":\"a\"},{\"nodeLabel\":\"a\"}]")),
         "f:2: ", "level a is there twice"},
        {"kube_topology_empty", ListJson(TopologyJson("[]")), "f:2: ", "no spec.levels"},
        {"kube_topology_without_label", ListJson(TopologyJson("[{}]")), "f:2: ", "a level has no nodeLabel"},

        {"topograph_no_id", R"({"instances":[{"network_layers":["a"]}]})", "f:1: ", "an instance has no id"},
        {"topograph_twice", "{\"instances\":[{\"id\":\"a\"},\n{\"id\":\"a\"}]}", "f:2: ", "already there, on line 1"},
        {"topograph_nine_layers",
         R"({"instances":[{"id":"a","network_layers":["1","2","3","4","5","6","7","8","9"]}]})", "f: ", "at most 8"},
        {"topograph_layer_is_a_map", R"({"instances":[{"id":"a","network_layers":[{}]}]})",
         "f:1: ", "a map where text"},

        {"muster_duplicate", "nodes:\n- {name: a}\n- {name: a}\n", "f:3: ", "already there, on line 2"},
        {"muster_unknown_field", "nodes:\n- {name: a, gpus: 8}\n", "f:2: ", "unknown field"},
        {"muster_bad_condition", "nodes:\n- {name: a, condition: tired}\n", "f:2: ", "\"tired\" is unknown"},
        {"muster_negative", "nodes:\n- {name: a, capacity: {gpu: -1}}\n", "f:2: ", "-1 is negative"},
        {"muster_overflow", "nodes:\n- {name: a, capacity: {gpu: 9223372036854775808}}\n",
         "f:2: ", "not a whole number"},
        {"muster_long_value", "tiers: [rack]\nnodes:\n- {name: a, labels: {rack: " + kLong + "}}\n",
         "f: ", "the value has 300 characters"},
        {"prose", "hello world\n", "f:1: ", "the file holds a single value"},
    }),
    [](const auto& row) { return row.param.about; });

}  // namespace
}  // namespace muster::inventory
