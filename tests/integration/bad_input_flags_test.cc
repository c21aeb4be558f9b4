// What a person may get wrong on the command lines and in the files of the three programs: each says what is wrong and
// the way out, ends with a code that is not 0, and has started or changed nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/harness/cluster.h"

namespace muster::harness {
namespace {

struct Row {
  // "@" is the folder of the test, where the files are.
  std::vector<std::string> args;
  std::vector<std::string> says;
};

// The files that rows name.
const std::pair<const char*, const char*> kFiles[] = {
    {"unknown.yaml", "lisen: 127.0.0.1:0\n"},
    {"twice.yaml", "store: memory\nstore: memory\n"},
    {"broken.yaml", "store: [\n"},
    {"list.yaml", "- a\n- b\n"},
    {"agent-unknown.yaml", "node-nam: a\n"},
    {"labels", "no label here\n"},
    {"typo.yaml", "name: a\nspec:\n  membrs: 2\n"},
    {"no-name.yaml", "spec:\n  members: 2\n"},
    {"text.yaml", "name: a\nspec:\n  members: many\n"},
    {"world.yaml", "name: a\nspec:\n  members: 3\n  workersPerMember: 1\n  mesh:\n    axes: {tp: 2}\n"},
    {"empty.yaml", ""},
    {"not-yaml.yaml", "a: b: c: [\n"},
};

std::vector<Row> ServerRows() {
  return {
      {{"--lisen", "127.0.0.1:0"}, {"--lisen", "listen"}},
      {{"--listen", "nowhere"}, {"--listen", "nowhere", "127.0.0.1:7070"}},
      {{"--listen", "0.0.0.0:0"}, {"--listen", "0.0.0.0:0", "insecure"}},
      {{"--metrics", "0.0.0.0:0"}, {"--metrics", "0.0.0.0:0", "insecure"}},
      {{"--store", "postgres"}, {"--store", "postgres", "sqlite"}},
      {{"--log-level", "loud"}, {"--log-level", "loud", "debug"}},
      {{"--agent-lease", "soon"}, {"--agent-lease", "soon", "90s"}},
      {{"--agent-lease", "0s"}, {"--agent-lease", "0s"}},
      {{"--member-lease", "-1s"}, {"--member-lease", "-1s"}},
      {{"--quarantine", "99999999h"}, {"--quarantine", "99999999h"}},
      {{"--max-jobs", "none"}, {"--max-jobs", "none", "1"}},
      {{"--max-nodes", "0"}, {"--max-nodes", "0"}},
      {{"--keep-finished", "-1"}, {"--keep-finished", "-1"}},
      {{"--tier-labels", "a,a"}, {"--tier-labels", "a"}},
      {{"--config", "@/none.yaml"}, {"none.yaml"}},
      {{"--config", "@/unknown.yaml"}, {"unknown.yaml:1", "lisen", "listen"}},
      {{"--config", "@/twice.yaml"}, {"twice.yaml:2", "store", "once"}},
      {{"--config", "@/broken.yaml"}, {"broken.yaml:"}},
      {{"--config", "@/list.yaml"}, {"list.yaml", "name: value"}},
  };
}

std::vector<Row> AgentRows() {
  return {
      {{"--node-nam", "a"}, {"--node-nam", "--node-name"}},
      {{"--gpus", "0"}, {"--gpus"}},
      {{"--gpus", "many"}, {"--gpus", "many"}},
      {{"--label", "rack"}, {"--label", "rack", "key=value"}},
      {{"--label", "=r1"}, {"--label", "=r1", "key=value"}},
      {{"--labels-file", "@/none"}, {"--labels-file", "none"}},
      {{"--labels-file", "@/labels"}, {"--labels-file", "no label here", "key=value"}},
      {{"--node-name", std::string(300, 'n')}, {"--node-name", "253"}},
      {{"--allow-launch", "--muster-binary", "@/none"}, {"--muster-binary", "none"}},
      {{"--simulate-slow", "0.5"}, {"--simulate-slow"}},
      {{"--simulate-corrupt", "2"}, {"--simulate-corrupt"}},
      {{"--config", "@/none.yaml"}, {"--config", "none.yaml"}},
      {{"--config", "@/agent-unknown.yaml"}, {"line 1", "node-nam", "node-name"}},
      {{"--config", "@/list.yaml"}, {"--config", "name: value"}},
  };
}

std::vector<Row> MusterRows() {
  return {
      {{"gte", "jobs"}, {"gte", "get"}},
      {{"get", "jbos"}, {"jbos", "jobs"}},
      {{"get", "jobs", "--namspace", "a"}, {"--namspace", "--namespace"}},
      {{"get", "jobs", "-o", "xml"}, {"xml", "table"}},
      {{"describe", "job"}, {"NAME", "--help"}},
      {{"describe", "job", "none"}, {"default/none", "muster get jobs"}},
      {{"describe", "node", "none"}, {"none", "muster get nodes"}},
      {{"cancel", "job", "none"}, {"none", "muster get jobs"}},
      {{"quarantine", "node", "none"}, {"--reason"}},
      {{"selftest", "nodes", "one"}, {"one", "muster get nodes"}},
      {{"exec", "--job", "a", "--", "true"}, {"index", "--index"}},
      {{"exec", "--job", "a", "--index", "0"}, {"COMMAND", "--help"}},
      {{"submit"}, {"-f"}},
      {{"submit", "-f", "@/none.yaml"}, {"none.yaml"}},
      {{"submit", "-f", "@/empty.yaml"}, {"empty.yaml"}},
      {{"submit", "-f", "@/not-yaml.yaml"}, {"not-yaml.yaml:"}},
      {{"submit", "-f", "@/typo.yaml"}, {"typo.yaml:3", "membrs", "members"}},
      {{"submit", "-f", "@/no-name.yaml"}, {"no-name.yaml", "name"}},
      {{"submit", "-f", "@/text.yaml"}, {"text.yaml:3", "many"}},
      {{"submit", "-f", "@/world.yaml"}, {"world.yaml:", "3"}},
      {{"plan", "-f", "@/typo.yaml"}, {"typo.yaml:3", "membrs", "members"}},
      {{"groups", "--job", "none", "--rank", "3"}, {"none"}},
  };
}

class BadFlags : public testing::Test {
 protected:
  BadFlags() : folder_(NewFolder("flags")) {
    for (const auto& [name, text] : kFiles) std::ofstream(absl::StrCat(folder_, "/", name)) << text;
  }

  void Expect(const std::string& program, const std::vector<std::string>& always, const std::vector<Row>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::string> command = {Binary(program)};
      command.insert(command.end(), always.begin(), always.end());
      for (const std::string& arg : rows[i].args) command.push_back(absl::StrReplaceAll(arg, {{"@", folder_}}));
      std::string line;
      for (const std::string& arg : rows[i].args) absl::StrAppend(&line, " ", arg.substr(0, 40));
      SCOPED_TRACE(absl::StrCat(program, line));
      const std::string log = absl::StrCat(folder_, "/log-", program.substr(program.rfind('/') + 1), "-", i);
      Process process = Process::Start(command, log);
      const std::optional<int> code = process.Wait(absl::Seconds(60));
      const std::string said = ReadFile(log);
      if (!code) {
        ADD_FAILURE() << "it runs: " << said;
        continue;
      }
      EXPECT_GT(*code, 0) << said;
      EXPECT_LT(*code, 100) << "ended by a signal: " << said;
      for (const std::string& part : rows[i].says)
        EXPECT_TRUE(absl::StrContains(said, part)) << part << " in: " << said;
      EXPECT_LT(said.size(), 2000u) << said;
    }
  }

  const std::string folder_;
};

TEST_F(BadFlags, OfMusterd_AreNamedAndNothingStarts) {
  Expect("server/main/musterd",
         {"--data", folder_ + "/data", "--port-file", folder_ + "/ports", "--listen", "127.0.0.1:0"}, ServerRows());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/data")) << "a wrong command line has made its data folder";
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ports"));
}

TEST_F(BadFlags, OfMusterAgent_AreNamedAndNothingRegisters) {
  Cluster cluster;
  cluster.StartServer();
  Expect("client/agent/muster-agent", {"--server", cluster.address(), "--data", folder_ + "/agent"}, AgentRows());
  grpc::ClientContext context;
  v1::ListNodesResponse nodes;
  ASSERT_TRUE(cluster.nodes().List(&context, {}, &nodes).ok());
  EXPECT_EQ(nodes.nodes_size(), 0) << nodes.ShortDebugString();
}

TEST_F(BadFlags, OfMuster_AreNamedAndNothingIsSubmitted) {
  Cluster cluster;
  cluster.StartServer();
  Expect("client/cli/muster", {"--server", cluster.address()}, MusterRows());
  grpc::ClientContext context;
  v1::ListJobsRequest request;
  request.set_include_finished(true);
  v1::ListJobsResponse jobs;
  ASSERT_TRUE(cluster.jobs().List(&context, request, &jobs).ok());
  EXPECT_EQ(jobs.jobs_size(), 0) << jobs.ShortDebugString();
}

TEST_F(BadFlags, ADataFolderInUse_IsRefusedWithItsName) {
  Cluster cluster;
  cluster.StartServer();
  const std::string log = folder_ + "/second";
  Process second = Process::Start(
      {Binary("server/main/musterd"), "--listen", "127.0.0.1:0", "--metrics", "", "--data", cluster.folder() + "/data"},
      log);
  EXPECT_EQ(second.Wait(absl::Seconds(30)), 1);
  EXPECT_TRUE(absl::StrContains(ReadFile(log), cluster.folder() + "/data")) << ReadFile(log);
  EXPECT_TRUE(cluster.ServerRuns());
}

}  // namespace
}  // namespace muster::harness
