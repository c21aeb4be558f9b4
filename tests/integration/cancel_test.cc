// A cancelled job gives its nodes on only once what it had there is seen ended, from whichever phase it is cancelled.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/harness/cluster.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

void Touch(const std::string& path) { std::ofstream(path) << "\n"; }

std::vector<int64_t> Numbers(const std::string& path) {
  std::vector<int64_t> numbers;
  for (absl::string_view line : absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty())) {
    int64_t number = 0;
    EXPECT_TRUE(absl::SimpleAtoi(line, &number)) << line;
    numbers.push_back(number);
  }
  return numbers;
}

class Cancel : public testing::Test {
 protected:
  Cancel() : cluster_({"--may-waive", "default", "--agent-lease", "5m"}), folder_(NewFolder("job")) {}

  void SetUp() override { cluster_.StartServer(); }

  void StartAgents(int count) {
    for (int i = 1; i <= count; ++i) cluster_.StartAgent({.name = absl::StrCat("n", i)});
    ASSERT_TRUE(cluster_.WaitForNodes(count)) << cluster_.Logs();
  }

  v1::SubmitRequest Job(const std::string& name, int members, const std::string& script) {
    v1::SubmitRequest request = AgentJob(name, members, 2, {{"tp", 2}, {"dp", members}}, {"/bin/sh", "-c", script});
    request.mutable_spec()->mutable_self_test()->set_backend("simulated");
    (*request.mutable_spec()->mutable_launch()->mutable_env())["MUSTER_TEST_MARK"] = Mark(name);
    return request;
  }

  static std::string Mark(const std::string& name) { return absl::StrCat("cancel-", getpid(), "-", name); }

  void ExpectCancelledAndFree(const std::string& name, int nodes) {
    const v1::Job job = cluster_.WaitForEnd(name);
    EXPECT_EQ(job.phase(), v1::FINISHED) << job.ShortDebugString() << cluster_.Logs();
    EXPECT_EQ(job.result(), v1::RESULT_CANCELLED) << job.why();
    EXPECT_TRUE(ProcessesWith("MUSTER_TEST_MARK", Mark(name)).empty());
    for (int i = 1; i <= nodes; ++i) {
      const v1::Node node = cluster_.GetNode(absl::StrCat("n", i));
      EXPECT_EQ(node.use(), v1::FREE) << node.ShortDebugString();
      EXPECT_EQ(node.condition(), v1::NODE_OK) << node.ShortDebugString();
    }
  }

  Cluster cluster_;
  const std::string folder_;
};

TEST_F(Cancel, SlowToStop_NextJobGetsTheNodesOnlyAfterTheEndIsSeen) {
  StartAgents(2);
  // Hears SIGTERM, and takes until the file is there.
  const std::string slow =
      absl::StrCat("trap 'echo term >> ", folder_, "/terms' TERM; echo >> ", folder_, "/up; until [ -e ", folder_,
                   "/let-go ]; do sleep 0.1; done; date +%s%N >> ", folder_, "/ends");
  cluster_.Submit(Job("slow", 2, slow));
  ASSERT_TRUE(Eventually([&] { return ReadFile(folder_ + "/up").size() == 4; }, absl::Seconds(90))) << cluster_.Logs();
  cluster_.Submit(Job("next", 2, absl::StrCat("date +%s%N >> ", folder_, "/starts")));
  EXPECT_EQ(cluster_.Cancel("slow").phase(), v1::STOPPING);

  // Two workers on each of two nodes have heard it, and go on.
  ASSERT_TRUE(Eventually([&] { return ReadFile(folder_ + "/terms").size() >= 4 * 5; })) << cluster_.Logs();
  const v1::Job waiting = cluster_.Get("next");
  EXPECT_EQ(waiting.phase(), v1::QUEUED) << waiting.ShortDebugString();
  EXPECT_FALSE(ProcessesWith("MUSTER_TEST_MARK", Mark("slow")).empty());
  EXPECT_EQ(cluster_.GetNode("n1").use(), v1::NODE_STOPPING);
  Touch(folder_ + "/let-go");

  // From the first look at which the next job has its nodes, nothing of the one before is alive.
  v1::Job next;
  EXPECT_TRUE(Eventually([&] {
    next = cluster_.Get("next");
    return next.phase() != v1::QUEUED;
  })) << cluster_.Logs();
  EXPECT_TRUE(ProcessesWith("MUSTER_TEST_MARK", Mark("slow")).empty()) << v1::Phase_Name(next.phase());
  EXPECT_EQ(cluster_.WaitForEnd("next").result(), v1::SUCCEEDED) << cluster_.Logs();
  ExpectCancelledAndFree("slow", 2);
  const std::vector<int64_t> ends = Numbers(folder_ + "/ends"), starts = Numbers(folder_ + "/starts");
  ASSERT_EQ(ends.size(), 4u) << "ended by force before their time";
  ASSERT_EQ(starts.size(), 4u);
  for (const int64_t start : starts) {
    for (const int64_t end : ends) EXPECT_GT(start, end) << "both jobs on one node at once";
  }
}

// The agent itself is silent: nobody can say that the processes have ended.
TEST_F(Cancel, SilentAgent_KeepsTheNodeFromTheNextJob) {
  StartAgents(1);
  cluster_.Submit(Job("slow", 1, absl::StrCat("echo >> ", folder_, "/up; sleep 1000")));
  ASSERT_TRUE(Eventually([&] { return ReadFile(folder_ + "/up").size() == 2; }, absl::Seconds(90))) << cluster_.Logs();
  cluster_.PauseAgent("n1");
  cluster_.Submit(Job("next", 1, "true"));
  cluster_.Cancel("slow");
  // Its members are told by the server, end, and say so; the agent has not.
  EXPECT_TRUE(Eventually([&] { return cluster_.Get("slow").phase() == v1::STOPPING; }));
  EXPECT_EQ(cluster_.Get("next").phase(), v1::QUEUED);
  EXPECT_EQ(cluster_.GetNode("n1").use(), v1::NODE_STOPPING);
  cluster_.ResumeAgent("n1");
  EXPECT_EQ(cluster_.WaitForEnd("next").result(), v1::SUCCEEDED) << cluster_.Logs();
  ExpectCancelledAndFree("slow", 1);
}

TEST_F(Cancel, WhileQueued_EndsAtOnce) {
  StartAgents(1);
  cluster_.Submit(Job("job", 2, "true"));
  EXPECT_EQ(cluster_.Get("job").phase(), v1::QUEUED);
  EXPECT_EQ(cluster_.Cancel("job").result(), v1::RESULT_CANCELLED);
  // A node that would have been enough changes nothing any more.
  cluster_.StartAgent({.name = "n2"});
  ASSERT_TRUE(cluster_.WaitForNodes(2));
  ExpectCancelledAndFree("job", 2);
}

// Right after submission it is placed or, a moment later, tested: neither may start anything afterwards.
TEST_F(Cancel, WhilePlaced_StartsNothing) {
  StartAgents(2);
  cluster_.Submit(Job("job", 2, absl::StrCat("echo >> ", folder_, "/up")));
  cluster_.Cancel("job");
  ExpectCancelledAndFree("job", 2);
  EXPECT_EQ(ReadFile(folder_ + "/up"), "");
}

TEST_F(Cancel, WhileTesting_EndsTheChildrenOfTheTest) {
  cluster_.StartAgent({.name = "n1", .flags = {"--simulate-hang"}});
  cluster_.StartAgent({.name = "n2", .flags = {"--simulate-hang"}});
  ASSERT_TRUE(cluster_.WaitForNodes(2)) << cluster_.Logs();
  cluster_.Submit(Job("job", 2, absl::StrCat("echo >> ", folder_, "/up")));
  EXPECT_EQ(cluster_.WaitForPhase("job", v1::TESTING).phase(), v1::TESTING) << cluster_.Logs();
  const v1::Phase phase = cluster_.Cancel("job").phase();
  EXPECT_TRUE(phase == v1::STOPPING || phase == v1::FINISHED) << v1::Phase_Name(phase);
  ExpectCancelledAndFree("job", 2);
  EXPECT_EQ(ReadFile(folder_ + "/up"), "");
}

TEST_F(Cancel, WhileAssembling_TellsTheMembersThatWait) {
  StartAgents(2);
  v1::SubmitRequest request = ExternalJob("job", 2, 2, {{"tp", 2}, {"dp", 2}});
  const v1::Job job = cluster_.Submit(request);
  EXPECT_EQ(cluster_.WaitForPhase("job", v1::ASSEMBLING).phase(), v1::ASSEMBLING) << cluster_.Logs();
  HeldRank first(cluster_, RankRequest(job, 0, 1, "n1"));
  EXPECT_TRUE(Eventually([&] {
    const v1::Job seen = cluster_.Get("job");
    for (const v1::MemberStatus& member : seen.members()) {
      if (member.pod_index() == 0 && member.present()) return true;
    }
    return false;
  })) << cluster_.Get("job").ShortDebugString();
  EXPECT_FALSE(first.Done());
  cluster_.Cancel("job");
  ASSERT_TRUE(first.Wait());
  EXPECT_EQ(first.outcome(), v1::CANCELLED) << first.status().error_message();
  HeldRank late(cluster_, RankRequest(job, 1, 1, "n2"));
  ASSERT_TRUE(late.Wait());
  EXPECT_EQ(late.outcome(), v1::CANCELLED) << late.status().error_message();
  ExpectCancelledAndFree("job", 2);
}

}  // namespace
}  // namespace muster::harness
