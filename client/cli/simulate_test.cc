#include "client/cli/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/cli/exit_code.h"
#include "client/cli/harness.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<CommandInfo> Commands() {
  std::vector<CommandInfo> commands;
  AddSimulateCommand(commands);
  return commands;
}

std::string Path(const std::string& name) { return absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name); }

std::string File(const std::string& name, const std::string& text) {
  std::ofstream(Path(name)) << text;
  return Path(name);
}

TEST(SimulateCommand, AnswersOnOneScreen_FromFiles) {
  const std::string nodes =
      File("nodes.yaml", "tiers: [rack]\nnodes:\n  - {name: \"n[1-8]\", labels: {rack: r1}, capacity: {gpu: 8}}\n");
  Harness muster(Commands());
  muster.in = "submit,nodes,run,limit,priority\n0,6,1h,1h,\n10:00,8,30:00,,\n20:00,2,40:00,40:00,5\n";
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", nodes, "--trace", "-"}), kExitOk) << muster.err;
  EXPECT_EQ(muster.out, R"(cluster        8 nodes
jobs           3: 3 done
time           last submission after 20m00s, last end after 1h30m
utilisation    75.0 % until the last submission, 94.4 % in all
queue          at most 1 job waiting
fragmentation  100.0 % of the free nodes in partly used domains of the last tier

WAIT        JOBS  P50     P95     MAX    MEAN
all            3  0 s  50m00s  50m00s  16m40s
priority 5     1  0 s     0 s     0 s     0 s
priority 0     2  0 s  50m00s  50m00s  25m00s

simulated in 0 s: 6 events, 3 runs of the queue, 3 placements
)");
}

TEST(SimulateCommand, ForPrograms_AndDrawn) {
  Harness muster(Commands());
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "racks=2,nodes=4", "--trace", "jobs=50,seed=3", "--failures",
                           "every=2d", "--preemption", "-o", "json", "--svg", Path("course.svg")}),
            kExitOk)
      << muster.err;
  const auto report = nlohmann::json::parse(muster.out);
  EXPECT_EQ(report["nodes"], 8);
  EXPECT_EQ(report["jobs"]["submitted"], 50);
  EXPECT_EQ(report["jobs"]["done"].get<int>() + report["jobs"]["overLimit"].get<int>(), 50);
  EXPECT_GE(report["costToBound"]["geometricMean"].get<double>(), 1);
  std::stringstream svg;
  svg << std::ifstream(Path("course.svg")).rdbuf();
  EXPECT_THAT(svg.str(), StartsWith("<svg"));
}

TEST(SimulateCommand, WhatCanNeverRun_IsExitCode1) {
  Harness muster(Commands());
  muster.in = "submit,nodes,run\n0,9,60\n0,1,60\n";
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "nodes=8", "--trace", "-"}), kExitNo);
  EXPECT_THAT(muster.out, HasSubstr("2: 1 done, 1 never fit"));
}

TEST(SimulateCommand, Mistakes_NameThePlace) {
  Harness muster(Commands());
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "nodes=8"}), kExitUsage);
  EXPECT_THAT(muster.err, HasSubstr("muster simulate --nodes racks=20"));
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "noods=8", "--trace", "jobs=1"}), kExitInvalid);
  EXPECT_THAT(muster.err, StartsWith("--nodes: \"noods\": is unknown; did you mean nodes?"));
  muster.in = "submit,nodes,run\n9,1,60\n8,1,60\n";
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "nodes=8", "--trace", "-"}), kExitInvalid);
  EXPECT_THAT(muster.err, StartsWith("(standard input):3: submit: \"8\" is before the row above"));
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "nodes=8", "--trace", "jobs=1", "--quotas", "a"}), kExitInvalid);
  EXPECT_THAT(muster.err, StartsWith("--quotas: \"a\" is not NAME=NUMBER"));
  EXPECT_EQ(muster.Muster({"simulate", "--nodes", "nodes=8", "--trace", "jobs=1", "--svg", "/nowhere/x.svg"}),
            kExitUsage);
}

}  // namespace
}  // namespace muster::cli
