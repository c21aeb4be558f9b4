#include "client/agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/agent/fake_coordinator.h"
#include "client/agent/process.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

using Reports = std::vector<v1::ReportTaskRequest>;

std::string Runfile(const std::string& path) {
  char cwd[4096];
  return absl::StrCat(getcwd(cwd, sizeof(cwd)), "/", path);
}

std::string Folder(const std::string& name) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return absl::StrCat(testing::TempDir(), "/", info->name(), getpid(), "/", name);
}

// An agent on a thread of its own.
class RunningAgent {
 public:
  RunningAgent(const FakeCoordinator& coordinator, const std::string& node, const Faults& faults = {}) {
    AgentSetting setting;
    setting.server = coordinator.address();
    setting.node.set_name(node);
    setting.node.set_uid(node);
    setting.node.set_address("127.0.0.1");
    setting.node.set_allow_launch(true);
    setting.data = Folder(node);
    setting.agent_program = Runfile("client/agent/muster-agent");
    setting.muster_program = "/usr/bin/env";  // `env exec …` fails at once: enough to be started and to end
    setting.faults = faults;
    agent_ = Agent::Create(std::move(setting)).value();
    thread_ = std::thread([this] { agent_->Run(); });
  }
  ~RunningAgent() {
    agent_->ShutDown();
    thread_.join();
  }

 private:
  std::unique_ptr<Agent> agent_;
  std::thread thread_;
};

v1::Task Order(uint64_t number) {
  v1::Task task;
  task.mutable_mark()->set_job_uid("job-1");
  task.mutable_mark()->set_number(number);
  task.set_job("default/demo");
  return task;
}

void AddStep(v1::TestPlan& plan, const std::string& family, v1::Collective collective,
             const std::vector<std::vector<int64_t>>& groups) {
  v1::TestStep* step = plan.add_steps();
  step->set_index(plan.steps_size() - 1);
  step->set_family(family);
  step->set_collective(collective);
  step->set_bytes(48 << 10);
  step->set_warmups(1);
  step->set_iterations(3);
  step->mutable_deadline()->set_seconds(20);
  for (const auto& ranks : groups) {
    v1::TestGroup* group = step->add_groups();
    group->set_index(step->groups_size() - 1);
    for (int64_t rank : ranks) group->mutable_ranks()->add_members(rank);
  }
}

constexpr v1::Collective kAll[] = {v1::ALL_REDUCE, v1::ALL_GATHER, v1::REDUCE_SCATTER,
                                   v1::ALL_TO_ALL, v1::SEND_RECV,  v1::RING_SEND_RECV};

// All collectives over `groups`, run by workers first..last of this node.
v1::Task TestOrder(uint64_t number, const std::string& backend, const std::vector<std::vector<int64_t>>& groups,
                   int64_t first, int64_t last) {
  v1::Task task = Order(number);
  v1::RunTest* order = task.mutable_run_test();
  order->mutable_plan()->set_test_id("test-1");
  order->mutable_plan()->set_round(1);
  order->mutable_plan()->set_backend(backend);
  order->mutable_plan()->set_seed(11);
  order->mutable_plan()->mutable_deadline()->set_seconds(35);
  for (v1::Collective collective : kAll) AddStep(*order->mutable_plan(), "dp", collective, groups);
  for (int64_t rank = first; rank <= last; ++rank) {
    v1::RunTest::Worker* worker = order->add_workers();
    worker->set_global_rank(rank);
    worker->set_local_rank(static_cast<int32_t>(rank - first));
  }
  return task;
}

size_t Finals(const Reports& reports) {
  return static_cast<size_t>(
      std::count_if(reports.begin(), reports.end(), [](const auto& r) { return r.test().final(); }));
}

std::vector<v1::StepResult> Results(const Reports& reports) {
  std::vector<v1::StepResult> results;
  for (const auto& r : reports) results.insert(results.end(), r.test().results().begin(), r.test().results().end());
  return results;
}

TEST(Agent, GlooOverFourProcesses_RunsEveryCollectiveWithExactData) {
  FakeCoordinator coordinator;
  RunningAgent agent(coordinator, "n0");
  v1::Task order = TestOrder(1, "gloo", {{0, 1, 2, 3}}, 0, 3);
  AddStep(*order.mutable_run_test()->mutable_plan(), "tp", v1::ALL_REDUCE, {{0, 1}, {2, 3}});
  AddStep(*order.mutable_run_test()->mutable_plan(), "pp", v1::SEND_RECV, {{0, 2}, {3, 1}});
  AddStep(*order.mutable_run_test()->mutable_plan(), "cp", v1::REDUCE_SCATTER, {{3, 0, 2}});
  coordinator.Order("n0", order);
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return Finals(r) == 1; }));
  const auto results = Results(coordinator.reports());
  EXPECT_EQ(results.size(), 8 * 4 + 3u);
  for (const v1::StepResult& r : results) {
    EXPECT_EQ(r.error(), "") << "step " << r.step() << " rank " << r.global_rank();
    EXPECT_EQ(r.wrong_elements(), 0) << "step " << r.step() << " rank " << r.global_rank();
    EXPECT_EQ(r.iteration_us_size(), 3);
  }
  EXPECT_EQ(coordinator.reports().back().test().facts().at("backend"), "gloo");
}

TEST(Agent, GlooOnAnAddressOfNobody_IsAConfigurationError) {
  FakeCoordinator coordinator;
  AgentSetting setting;
  setting.server = coordinator.address();
  setting.node.set_name("n0");
  setting.node.set_uid("n0");
  setting.node.set_address("192.0.2.77");
  setting.data = Folder("n0");
  setting.agent_program = Runfile("client/agent/muster-agent");
  auto agent = Agent::Create(setting).value();
  std::thread thread([&] { agent->Run(); });
  coordinator.Order("n0", TestOrder(1, "gloo", {{0, 1}}, 0, 1));
  EXPECT_TRUE(coordinator.WaitForReports([](const Reports& r) { return Finals(r) == 1; }));
  agent->ShutDown();
  thread.join();
  for (const v1::StepResult& r : Results(coordinator.reports())) {
    EXPECT_EQ(r.error().rfind("config: ", 0), 0u) << r.error();
  }
}

TEST(Agent, CorruptingNode_IsSeenByItsPeerWithTheSender) {
  FakeCoordinator coordinator;
  Faults corrupt;
  corrupt.set_corrupt(0.01);
  corrupt.set_slow(3);
  RunningAgent good(coordinator, "n0"), bad(coordinator, "n1", corrupt);
  coordinator.Order("n0", TestOrder(1, "simulated", {{0, 1}}, 0, 0));
  coordinator.Order("n1", TestOrder(1, "simulated", {{0, 1}}, 1, 1));
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return Finals(r) == 2; }));
  std::map<int64_t, int> wrong;
  for (const v1::StepResult& r : Results(coordinator.reports())) {
    EXPECT_EQ(r.error(), "");
    wrong[r.global_rank()] += r.wrong_elements() > 0;
  }
  EXPECT_EQ(wrong[0], 6);  // in every collective
  EXPECT_EQ(wrong[1], 2);  // only in the sums, which both make
}

TEST(Agent, CoordinatorAwayAndBack_IsServedAgainUnderItsNewTerm) {
  FakeCoordinator coordinator;
  RunningAgent agent(coordinator, "n0");
  v1::Task stop = Order(1);
  stop.mutable_stop();
  coordinator.Order("n0", stop);
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 1; }));
  coordinator.GoAway();
  coordinator.ComeBack();
  ASSERT_TRUE(coordinator.WaitForRegistrations(2));
  const auto registrations = coordinator.registrations();
  ASSERT_EQ(registrations[1].known_size(), 1);
  EXPECT_EQ(registrations[1].known(0).mark().number(), 1u);
  EXPECT_FALSE(registrations[1].known(0).running());
  EXPECT_EQ(registrations[0].session().ordinal(), registrations[1].session().ordinal());
  stop.mutable_mark()->set_number(2);
  coordinator.Order("n0", stop);
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 2; }));
  EXPECT_EQ(coordinator.reports()[1].mark().term(), 2u);
}

v1::Task StopOrder(uint64_t number) {
  v1::Task stop = Order(number);
  stop.mutable_stop();
  return stop;
}

TEST(Agent, ReportOfWhatIsOver_IsDroppedAndTheNextDelivered) {
  FakeCoordinator coordinator;
  coordinator.CallStale(1);
  RunningAgent agent(coordinator, "n0");
  coordinator.Order("n0", StopOrder(1));
  // STALE may mean the session: it is registered once more, and then the report is known to be what is stale.
  ASSERT_TRUE(coordinator.WaitForRegistrations(2));
  coordinator.Order("n0", StopOrder(2));
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 1; }));
  EXPECT_EQ(coordinator.reports()[0].mark().number(), 2u);
  EXPECT_EQ(coordinator.registrations().size(), 2u);
}

TEST(Agent, CoordinatorOfALowerTerm_HasNoNodeHereAndIsAskedMoreAndMoreSeldom) {
  FakeCoordinator coordinator;
  RunningAgent agent(coordinator, "n0");
  ASSERT_TRUE(coordinator.WaitForRegistrations(1));
  coordinator.GoAway();
  coordinator.ComeBack();
  ASSERT_TRUE(coordinator.WaitForRegistrations(2));
  coordinator.GoAway();
  coordinator.ComeBack(-1);
  coordinator.Order("n0", StopOrder(1));
  ASSERT_TRUE(coordinator.WaitForRefusedPolls(7));
  EXPECT_EQ(coordinator.registrations().size(), 2u);
  EXPECT_TRUE(coordinator.reports().empty());
  const std::vector<absl::Time> polls = coordinator.refused_polls();
  EXPECT_GT(polls[6] - polls[5], absl::Milliseconds(200));
  // The former one is back.
  coordinator.GoAway();
  coordinator.ComeBack();
  ASSERT_TRUE(coordinator.WaitForRegistrations(3));
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 1; }));
}

TEST(Agent, RestartedUnderALowerTerm_ForgetsTheOrdersOfTheHigherAndWorks) {
  FakeCoordinator coordinator;
  coordinator.GoAway();
  coordinator.ComeBack();
  {
    RunningAgent agent(coordinator, "n0");
    coordinator.Order("n0", StopOrder(5));
    ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 1; }));
  }
  FakeCoordinator restored;  // of term 1, and at its order 3 of the same job
  RunningAgent agent(restored, "n0");
  restored.Order("n0", StopOrder(3));
  ASSERT_TRUE(restored.WaitForReports([](const Reports& r) { return r.size() == 1; }));
  EXPECT_EQ(restored.reports()[0].mark().number(), 3u);
  EXPECT_TRUE(restored.registrations()[0].known().empty());
}

TEST(Agent, Member_IsStartedOnceAndItsEndReported) {
  FakeCoordinator coordinator;
  RunningAgent agent(coordinator, "n0");
  v1::Task start = Order(1);
  start.mutable_start_members()->add_members()->mutable_incarnation()->set_ordinal(5);
  start.mutable_start_members()->add_command("true");
  coordinator.Order("n0", start);
  ASSERT_TRUE(coordinator.WaitForReports([](const Reports& r) { return r.size() == 1; }));
  EXPECT_EQ(coordinator.reports()[0].member_ended().exit_code(), 127);
  EXPECT_EQ(coordinator.reports()[0].member_ended().incarnation().ordinal(), 5);
}

// Children of `parent` now, by /proc.
std::set<pid_t> ChildrenOf(pid_t parent) {
  std::set<pid_t> children;
  std::ifstream in(absl::StrCat("/proc/", parent, "/task/", parent, "/children"));
  for (pid_t pid; in >> pid;) children.insert(pid);
  return children;
}

TEST(Agent, KilledAgent_LeavesNoChildBehind) {
  FakeCoordinator coordinator;
  ProcessSpec spec;
  spec.program = Runfile("client/agent/muster-agent");
  spec.args = {"--server", coordinator.address(), "--node-name",     "n0",
               "--data",   Folder("data"),        "--simulate-hang", "--address=127.0.0.1"};
  spec.env = {"PATH=/usr/bin:/bin"};
  const pid_t agent = Spawn(spec).value();
  ASSERT_TRUE(coordinator.WaitForRegistrations(1));

  v1::Task order = TestOrder(1, "simulated", {{0, 1}}, 0, 1);
  coordinator.Order("n0", order);
  std::set<pid_t> children;
  while (children.size() < 2) children = ChildrenOf(agent);
  std::vector<pollfd> watched;
  for (pid_t child : children) {
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    ASSERT_GE(fd, 0);
    watched.push_back({fd, POLLIN, 0});
  }
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  for (pollfd& child : watched) {
    EXPECT_EQ(poll(&child, 1, 20000), 1) << "a child outlived the agent";
    close(child.fd);
  }
}

}  // namespace
}  // namespace muster::agent
