// kill -9 of what stands between an agent and a job's workers: nothing of the job is alive when its node is given on.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/harness/cluster.h"

namespace muster::harness {
namespace {

// What agents and keepers leave becomes a child of this process, as it becomes init's on a host: so that it can't be
// taken for what others run here.
void BeTheHost() { ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }

class KeeperLoss : public testing::Test {
 protected:
  void SetUp() override {
    BeTheHost();
    cluster_.StartServer();
    cluster_.StartAgent({.name = "n1"});
    ASSERT_TRUE(cluster_.WaitForNodes(1)) << cluster_.Logs();
    // Two workers, each of which ignores SIGTERM and has a child in a session of its own.
    const std::string script = absl::StrCat("trap '' TERM; setsid sh -c 'trap \"\" TERM; echo >> ", folder_,
                                            "/up; while :; do sleep 0.1; done' & wait");
    v1::SubmitRequest request = AgentJob("job", 1, 2, {{"tp", 2}}, {"/bin/sh", "-c", script});
    request.mutable_spec()->mutable_self_test()->set_backend("simulated");
    request.mutable_spec()->mutable_limits()->set_max_restarts(0);
    (*request.mutable_spec()->mutable_launch()->mutable_env())["MUSTER_TEST_MARK"] = mark_;
    cluster_.Submit(request);
    ASSERT_TRUE(Eventually([&] { return ReadFile(folder_ + "/up").size() == 2; }, absl::Seconds(90)))
        << cluster_.Logs();
  }

  std::vector<pid_t> Alive() const { return ProcessesWith("MUSTER_TEST_MARK", mark_); }

  // The keeper (muster-agent keep …) and muster exec, not what the latter started.
  std::vector<pid_t> KeeperAndExec() const {
    std::vector<pid_t> found;
    for (const pid_t pid : Alive()) {
      std::string command = ReadFile(absl::StrCat("/proc/", pid, "/cmdline"));
      for (char& c : command) c = c == '\0' ? ' ' : c;
      if (absl::StrContains(command, "muster-agent keep ") || absl::StrContains(command, "muster exec ")) {
        found.push_back(pid);
      }
    }
    return found;
  }

  // From the first look at which the node is free, nothing is alive.
  void ExpectNothingAliveOnceFree() {
    v1::Node node;
    EXPECT_TRUE(Eventually(
        [&] {
          node = cluster_.GetNode("n1");
          return node.use() == v1::FREE;
        },
        absl::Seconds(60)))
        << node.ShortDebugString() << cluster_.Logs();
    EXPECT_TRUE(Alive().empty());
    EXPECT_EQ(cluster_.WaitForEnd("job").result(), v1::FAILED);
    EXPECT_EQ(cluster_.GetNode("n1").condition(), v1::NODE_OK);
  }

  Cluster cluster_{{"--agent-lease", "5m"}};
  const std::string folder_ = NewFolder("job");
  const std::string mark_ = absl::StrCat("keeper-", getpid());
};

TEST_F(KeeperLoss, KeeperAndExecKilled_NodeIsFreeOnlyWhenTheWorkersAreGone) {
  const std::vector<pid_t> between = KeeperAndExec();
  ASSERT_EQ(between.size(), 2u);
  for (const pid_t pid : between) kill(pid, SIGKILL);
  ExpectNothingAliveOnceFree();
  EXPECT_TRUE(absl::StrContains(cluster_.Get("job").why(), "exited with code 137 on n1, its output is in "))
      << cluster_.Get("job").why();
}

TEST_F(KeeperLoss, AgentKilledToo_TheNextAgentEndsWhatTheyLeft) {
  std::vector<pid_t> between = KeeperAndExec();
  ASSERT_EQ(between.size(), 2u);
  // So that neither acts on the death of the one before.
  for (const pid_t pid : between) kill(pid, SIGSTOP);
  cluster_.KillAgent("n1");
  for (const pid_t pid : between) kill(pid, SIGKILL);
  // The workers' own children are nobody's now.
  ASSERT_TRUE(Eventually([&] { return KeeperAndExec().empty(); }));
  EXPECT_FALSE(Alive().empty());
  cluster_.StartAgent({.name = "n1"});
  ExpectNothingAliveOnceFree();
}

// What they left has neither the environment that tells whose it is nor a parent that does.
TEST(KeeperLossCleared, AgentAndKeeperKilled_NodeIsGivenOnOnlyWhenWhatTheyLeftHasEnded) {
  BeTheHost();
  Cluster cluster({"--agent-lease", "5m", "--member-lease", "2s"});
  const std::string folder = NewFolder("job"), mark = absl::StrCat("cleared-", getpid());
  cluster.StartServer();
  cluster.StartAgent({.name = "n1"});
  ASSERT_TRUE(cluster.WaitForNodes(1)) << cluster.Logs();
  v1::SubmitRequest request =
      AgentJob("job", 1, 1, {{"tp", 1}},
               {"/bin/sh", "-c",
                absl::StrCat("env -i setsid sh -c 'echo $$ > ", folder, "/pid; exec sleep 1000' & exec sleep 1000")});
  request.mutable_spec()->mutable_self_test()->set_backend("simulated");
  v1::LimitsSpec& limits = *request.mutable_spec()->mutable_limits();
  limits.set_max_restarts(0);
  limits.mutable_unknown_grace()->set_seconds(1);
  limits.mutable_stop_deadline()->set_seconds(2);
  (*request.mutable_spec()->mutable_launch()->mutable_env())["MUSTER_TEST_MARK"] = mark;
  cluster.Submit(request);
  const auto left = [&] { return std::atoi(ReadFile(folder + "/pid").c_str()); };
  ASSERT_TRUE(Eventually([&] { return left() > 0; }, absl::Seconds(90))) << cluster.Logs();
  const pid_t pid = left();

  // So that neither acts on the death of the one before.
  const std::vector<pid_t> known = ProcessesWith("MUSTER_TEST_MARK", mark);
  for (const pid_t process : known) kill(process, SIGSTOP);
  cluster.KillAgent("n1");
  for (const pid_t process : known) kill(process, SIGKILL);
  ASSERT_EQ(kill(pid, 0), 0);
  cluster.StartAgent({.name = "n1"});
  v1::Node node;
  EXPECT_TRUE(Eventually(
      [&] {
        node = cluster.GetNode("n1");
        return node.condition() == v1::QUARANTINED;
      },
      absl::Seconds(60)))
      << node.ShortDebugString() << cluster.Logs();
  EXPECT_EQ(node.use(), v1::NODE_STOPPING);
  EXPECT_EQ(kill(pid, 0), 0);

  kill(pid, SIGKILL);
  EXPECT_TRUE(Eventually([&] {
    node = cluster.GetNode("n1");
    return node.use() == v1::FREE && node.condition() == v1::NODE_OK;
  })) << node.ShortDebugString()
      << cluster.Logs();
}

}  // namespace
}  // namespace muster::harness
