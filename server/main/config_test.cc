#include "server/main/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "lib/base/errors.h"

namespace muster::musterd {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Config> Read(std::vector<const char*> args) {
  args.insert(args.begin(), "musterd");
  std::string help;
  return ReadConfig(static_cast<int>(args.size()), args.data(), &help);
}

std::string WriteFile(const std::string& text) {
  static int count = 0;
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/config-" + std::to_string(count++) + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(Config, Defaults_AreValidAndListenOnLoopback) {
  const auto config = Read({});
  ASSERT_TRUE(config.ok()) << config.status();
  const auto effective = Resolve(*config);
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_EQ(effective->tiers.Names(), (std::vector<std::string>{"block", "rack"}));
  EXPECT_EQ(effective->options.agent_lease, absl::Seconds(30));
}

TEST(Config, Flag_GoesBeforeTheFile) {
  const std::string path = WriteFile("listen: 127.0.0.1:1\nmax-jobs: 5\nmay-waive: [a, b]\nagent-lease: 5s\n");
  const auto config = Read({"--config", path.c_str(), "--listen", "127.0.0.1:2"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->listen, "127.0.0.1:2");
  EXPECT_EQ(config->max_jobs, 5);
  EXPECT_EQ(Resolve(*config)->options.may_waive, (std::set<std::string>{"a", "b"}));
}

TEST(Config, Queue_ByFlagsOrAsMaps) {
  const std::string path = WriteFile(
      "quotas: {team-a: 64, \"*\": 8}\nshares: [team-a=2]\npriority-classes: {high: 1000}\npreemption: true\n");
  const auto config = Read({"--config", path.c_str(), "--ageing", "2h"});
  ASSERT_TRUE(config.ok()) << config.status();
  const auto effective = Resolve(*config);
  ASSERT_TRUE(effective.ok()) << effective.status();
  const queue::Policy& policy = effective->options.queue;
  EXPECT_EQ(policy.QuotaOf("team-a"), 64);
  EXPECT_EQ(policy.QuotaOf("other"), 8);
  EXPECT_EQ(policy.ShareOf("team-a"), 2);
  EXPECT_EQ(policy.ShareOf("other"), 1);
  EXPECT_EQ(policy.ageing, absl::Hours(2));
  EXPECT_TRUE(policy.preempt);
  EXPECT_EQ(effective->options.priority_classes.at("high"), 1000);
}

TEST(Config, Printed_ReadsBack) {
  const auto config =
      Read({"--tier-labels", "zone=example.com/zone,rack=example.com/rack", "--i-know-this-is-insecure-listen"});
  ASSERT_TRUE(config.ok()) << config.status();
  const std::string path = WriteFile(ToYaml(*config));
  const auto back = Read({"--config", path.c_str()});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ToYaml(*back), ToYaml(*config));
  EXPECT_EQ(Resolve(*back)->tiers.Names(), (std::vector<std::string>{"zone", "rack"}));
}

TEST(Config, Bad_NamesFlagAndWayOut) {
  struct Row {
    std::vector<const char*> args;
    const char* says;
  };
  for (const Row& row : {Row{{"--listen", "0.0.0.0:7070"}, "beyond loopback"},
                         Row{{"--listen", "10.0.0.1:7070"}, "i-know-this-is-insecure-listen"},
                         Row{{"--metrics", "0.0.0.0:1"}, "--metrics"},
                         Row{{"--listen", "127.0.0.1"}, "no port"},
                         Row{{"--lisen", "x"}, "did you mean \"listen\""},
                         Row{{"--max-jobs", "many"}, "--max-jobs"},
                         Row{{"--max-jobs", "0"}, "1 or more"},
                         Row{{"--agent-lease", "soon"}, "--agent-lease"},
                         Row{{"--agent-lease", "0s"}, "out of range"},
                         Row{{"--store", "etcd"}, "sqlite or memory"},
                         Row{{"--quotas", "team-a"}, "is not NAME=NUMBER"},
                         Row{{"--quotas", "a=1,a=2"}, "a is named twice"},
                         Row{{"--shares", "a=0"}, "give 1 to 1000000"},
                         Row{{"--shares", "a=99999999999999999999"}, "--shares"},
                         Row{{"--priority-classes", "high=2000000"}, "out of range"},
                         Row{{"--ageing", "soon"}, "--ageing"},
                         Row{{"--log-level", "loud"}, "debug, info"},
                         Row{{"--tier-labels", "a=x,a=y"}, "--tier-labels"},
                         Row{{"--tier-labels", ",,"}, "names no label"},
                         Row{{"--fabric", "rail-onyl"}, "did you mean rail-only?"},
                         Row{{"--listen", "127.0.0.1:70707"}, "0..65535"},
                         Row{{"--config", "/nowhere.yaml"}, "/nowhere.yaml"},
                         Row{{"--config", "/tmp"}, "can't read /tmp"}}) {
    SCOPED_TRACE(row.args.back());
    auto config = Read(row.args);
    absl::Status status = config.status();
    if (status.ok()) status = Resolve(*config).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

TEST(Config, BadFile_NamesTheLine) {
  struct Row {
    const char* text;
    const char* says;
  };
  for (const Row& row :
       {Row{"listen: 127.0.0.1:1\nmetrcs: x\n", ":2: unknown setting \"metrcs\"; did you mean \"metrics\"?"},
        Row{"a: [", "no YAML"}, Row{"- a\n", "is no map"}, Row{"data: {a: b}\n", ":1: data: is no value"},
        Row{"quotas: {a: [1]}\n", "write it as {NAME: VALUE}"}, Row{"data: a\ndata: b\n", "is given twice"},
        Row{"max-jobs: x\n", "max-jobs"}}) {
    SCOPED_TRACE(row.text);
    const auto config = Read({"--config", WriteFile(row.text).c_str()});
    EXPECT_THAT(std::string(config.status().message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace muster::musterd
