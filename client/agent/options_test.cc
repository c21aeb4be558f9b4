#include "client/agent/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", getpid(), name);
  std::ofstream(path) << text;
  return path;
}

TEST(Options, NoFlags_MeanThisHost) {
  const auto options = ParseOptions({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->setting.node.name().empty());
  EXPECT_EQ(options->setting.node.address(), options->setting.node.name());
  EXPECT_FALSE(options->setting.node.allow_launch());
  EXPECT_GE(options->setting.node.accelerators_size(), 1);
  EXPECT_EQ(options->setting.data[0], '/');
}

TEST(Options, Flags_DescribeTheNode) {
  const auto options =
      ParseOptions({"--node-name", "gpu-a01", "--address=10.0.0.3", "--gpus", "2", "--label", "rack=r1", "--label",
                    "topology.kubernetes.io/zone=z=1", "--simulate-corrupt", "0.5", "--simulate-hang"});
  ASSERT_TRUE(options.ok()) << options.status();
  const v1::NodeInfo& node = options->setting.node;
  EXPECT_EQ(node.name(), "gpu-a01");
  EXPECT_EQ(node.uid(), "gpu-a01");
  EXPECT_EQ(node.address(), "10.0.0.3");
  EXPECT_EQ(node.accelerators_size(), 2);
  EXPECT_EQ(node.capacity().at("gpu"), 2);
  EXPECT_EQ(node.labels().at("rack"), "r1");
  EXPECT_EQ(node.labels().at("topology.kubernetes.io/zone"), "z=1");
  EXPECT_EQ(options->setting.faults.corrupt(), 0.5);
  EXPECT_TRUE(options->setting.faults.hang());
}

TEST(Options, File_HasTheSameNamesAndFlagsWinOverIt) {
  const std::string file = WriteFile("good.yaml",
                                     "node-name: from-file\naddress: 10.0.0.9\ngpus: 4\nsimulate-hang: true\n"
                                     "check-config: false\nlabel:\n  rack: r1\n  row: x\n");
  const auto options = ParseOptions({"--config", file, "--address", "10.0.0.1", "--label", "row=y"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->setting.node.name(), "from-file");
  EXPECT_EQ(options->setting.node.address(), "10.0.0.1");
  EXPECT_EQ(options->setting.node.accelerators_size(), 4);
  EXPECT_EQ(options->setting.node.labels().at("rack"), "r1");
  EXPECT_EQ(options->setting.node.labels().at("row"), "y");
  EXPECT_TRUE(options->setting.faults.hang());
  EXPECT_FALSE(options->check_only);
}

TEST(Options, SlotsAndGpus_AreOneFlag) {
  EXPECT_EQ(ParseOptions({"--slots", "3"})->setting.node.accelerators_size(), 3);
  const std::string file = WriteFile("slots.yaml", "slots: 3\n");
  EXPECT_EQ(ParseOptions({"--config", file, "--gpus=2"})->setting.node.accelerators_size(), 2);
}

TEST(Options, LabelsFile_HasOneLabelALine) {
  const std::string file = WriteFile("labels", "# where it stands\nrack=r7\n\nrow=b\n");
  const auto options = ParseOptions({"--labels-file", file, "--label", "row=c"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->setting.node.labels().at("rack"), "r7");
  EXPECT_EQ(options->setting.node.labels().at("row"), "c");
}

struct BadInput {
  const char* name;
  std::vector<std::string> args;
  std::string yaml;
  const char* message;
};

class BadOptions : public testing::TestWithParam<BadInput> {};

TEST_P(BadOptions, Error_NamesTheFieldAndTheWayOut) {
  std::vector<std::string> args = GetParam().args;
  if (!GetParam().yaml.empty()) args = {"--config", WriteFile(GetParam().name, GetParam().yaml)};
  const auto options = ParseOptions(args);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadOptions,
    testing::Values(BadInput{"UnknownFlag", {"--node-nam", "x"}, "", "did you mean --node-name?"},
                    BadInput{"NoLabel", {"--label", "rack"}, "", "key=value"},
                    BadInput{"EmptyKey", {"--label", "=r1"}, "", "key=value"},
                    BadInput{"NoGpus", {"--gpus", "0"}, "", "--gpus"},
                    BadInput{"ManyGpus", {"--gpus", "99999999999999999999"}, "", "--gpus"},
                    BadInput{"Words", {"--gpus", "two"}, "", "--gpus"},
                    BadInput{"CorruptAboveOne", {"--simulate-corrupt", "1.5"}, "", "--simulate-corrupt"},
                    BadInput{"SlowBelowOne", {"--simulate-slow", "0.5"}, "", "--simulate-slow"},
                    BadInput{"NoFile", {"--config", "/no/such/file"}, "", "/no/such/file"},
                    BadInput{"LabelsFileIsAFolder", {"--labels-file", "/tmp"}, "", "cannot read /tmp"},
                    BadInput{"ConfigIsAFolder", {"--config", "/tmp"}, "", "cannot read /tmp"},
                    BadInput{"NoLabelsFile", {"--labels-file", "/no/such/file"}, "", "--labels-file"},
                    BadInput{"NoMuster", {"--allow-launch", "--muster-binary", "/no/muster"}, "", "--muster-binary"},
                    BadInput{"LongName", {"--node-name", std::string(300, 'x')}, "", "--node-name"},
                    BadInput{"UnknownKey", {}, "gpus: 2\nadress: x\n", "line 2: 'adress'"},
                    BadInput{"NearestKey", {}, "adress: x\n", "did you mean address?"},
                    BadInput{"ConfigInConfig", {}, "config: x\n", "'config'"},
                    BadInput{"NoMap", {}, "- a\n- b\n", "no map"}, BadInput{"NoYaml", {}, "a: [\n", "no YAML"},
                    BadInput{"DeepLabels", {}, "label: {a: {b: c}}\n", "label"},
                    BadInput{"BadValueInFile", {}, "gpus: many\n", "--gpus"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Options, HelpAndVersion_ArePrinted) {
  EXPECT_THAT(ParseOptions({"--help"})->print, HasSubstr("--allow-launch"));
  EXPECT_THAT(ParseOptions({"--version"})->print, HasSubstr("muster-agent "));
}

}  // namespace
}  // namespace muster::agent
