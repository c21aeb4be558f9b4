// kill -9 of musterd in each phase of a job's life, and a new start on the same data: the job goes on to succeed, and
// no worker ever sees another rank, epoch or coordinate.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/muster/v1/assignment.pb.h"
#include "tests/harness/cluster.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

constexpr int kMembers = 4, kWorkers = 2;
const char* const kNodes[] = {"a1", "a2", "b1", "b2"};

void Touch(const std::string& path) { std::ofstream(path) << "\n"; }

class Restart : public testing::Test {
 protected:
  // Long leases: what is under test is the restart, not how patient a lease is on a busy machine.
  Restart() : cluster_({"--agent-lease", "5m", "--member-lease", "5m"}), folder_(NewFolder("job")) {}

  void SetUp() override {
    cluster_.StartServer();
    std::filesystem::create_directories(folder_ + "/seen");
    std::filesystem::create_directories(folder_ + "/ended");
  }

  void StartAgents(int count, const std::string& muster_of_last = "") {
    for (int i = 0; i < count; ++i) {
      cluster_.StartAgent({.name = kNodes[i],
                           .rack = i < 2 ? "r1" : "r2",
                           .muster = i + 1 == kMembers ? muster_of_last : std::string()});
    }
    ASSERT_TRUE(cluster_.WaitForNodes(count)) << cluster_.Logs();
  }

  // Each worker writes down what it was told, one line a start, and waits for the file "go".
  void SubmitJob() {
    const std::string script = absl::StrCat(
        "echo \"$RANK $WORLD_SIZE $MUSTER_EPOCH $MUSTER_NODE $LOCAL_RANK $MASTER_PORT $MUSTER_COORDINATES ",
        "$MUSTER_INCARNATION_RESTART_ATTEMPT $MUSTER_INCARNATION_UID $MUSTER_INCARNATION_ORDINAL\" >> ", folder_,
        "/seen/$RANK; ", "until [ -e ", folder_, "/go ]; do sleep 0.1; done; echo > ", folder_, "/ended/$RANK");
    v1::SubmitRequest request =
        AgentJob("train", kMembers, kWorkers, {{"tp", 2}, {"pp", 2}, {"dp", 2}}, {"/bin/sh", "-c", script});
    request.mutable_spec()->mutable_self_test()->set_backend("simulated");
    cluster_.Submit(request);
  }

  void KillAndRestart() {
    cluster_.KillServer();
    cluster_.StartServer();
  }

  // Lines that all starts of all workers wrote, by rank.
  std::map<std::string, std::vector<std::string>> Seen() {
    std::map<std::string, std::vector<std::string>> seen;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/seen")) {
      seen[entry.path().filename()] = absl::StrSplit(ReadFile(entry.path()), '\n', absl::SkipEmpty());
    }
    return seen;
  }

  bool AllRun() {
    return Eventually(
        [&] {
          size_t lines = 0;
          for (const auto& [rank, starts] : Seen()) lines += starts.size();
          return lines == kMembers * kWorkers;
        },
        absl::Seconds(90));
  }

  // The job's good end, each worker started once and told one thing.
  void ExpectSuccess() {
    const v1::Job job = cluster_.WaitForEnd("train", absl::Seconds(180));
    ASSERT_EQ(job.phase(), v1::FINISHED) << job.ShortDebugString() << cluster_.Logs();
    EXPECT_EQ(job.result(), v1::SUCCEEDED) << job.why() << cluster_.Logs();
    EXPECT_EQ(job.epoch(), 1);
    const auto seen = Seen();
    EXPECT_EQ(seen.size(), size_t{kMembers * kWorkers});
    std::set<std::string> places;
    for (const auto& [rank, starts] : seen) {
      ASSERT_EQ(starts.size(), 1u) << "rank " << rank << " was started more than once\n" << cluster_.Logs();
      const std::vector<std::string> words = absl::StrSplit(starts[0], ' ');
      ASSERT_GE(words.size(), 7u) << starts[0];
      int64_t global = 0, local = 0;
      ASSERT_TRUE(absl::SimpleAtoi(words[0], &global) && absl::SimpleAtoi(words[4], &local)) << starts[0];
      EXPECT_EQ(words[1], "8");
      EXPECT_EQ(words[2], "1") << "epoch";
      EXPECT_EQ(local, global % kWorkers);
      EXPECT_EQ(words[3], job.placement().ranks(static_cast<int>(global / kWorkers)).node()) << "another node's rank";
      EXPECT_TRUE(places.insert(absl::StrCat(words[3], "/", words[4])).second) << "two ranks in one place";
    }
  }

  // What the member of worker `rank` was told, as the member itself would hear it again.
  std::string AssignmentOf(int rank) {
    const std::vector<std::string> words = absl::StrSplit(Seen()[absl::StrCat(rank)].at(0), ' ');
    const v1::Job job = cluster_.Get("train");
    int64_t ordinal = 0, attempt = 0;
    if (words.size() < 10 || !absl::SimpleAtoi(words[7], &attempt) || !absl::SimpleAtoi(words[9], &ordinal)) {
      ADD_FAILURE() << "no incarnation in the environment: " << Seen()[absl::StrCat(rank)].at(0);
      return "";
    }
    v1::GetRankRequest request = RankRequest(job, rank / kWorkers, ordinal, words[3]);
    request.mutable_incarnation()->set_restart_attempt(attempt);
    request.mutable_incarnation()->set_uid(words[8]);
    return GetAssignment(cluster_, request);
  }

  Cluster cluster_;
  const std::string folder_;
};

TEST_F(Restart, Queued_GoesOnWhenTheLastNodeComes) {
  StartAgents(3);
  SubmitJob();
  const v1::Job before = cluster_.Get("train");
  ASSERT_EQ(before.phase(), v1::QUEUED) << before.ShortDebugString();
  KillAndRestart();
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::QUEUED);
  EXPECT_EQ(after.uid(), before.uid());
  EXPECT_EQ(after.submitted().seconds(), before.submitted().seconds());
  Touch(folder_ + "/go");
  cluster_.StartAgent({.name = "b2", .rack = "r2"});
  ExpectSuccess();
}

// Planning takes no time that a test could hold open, so the server is killed as soon as the job has left the queue.
TEST_F(Restart, Placed_KeepsThePlacement) {
  StartAgents(kMembers);
  for (const char* node : kNodes) cluster_.PauseAgent(node);
  SubmitJob();
  const v1::Job before = cluster_.WaitForPhase("train", v1::PLACED, absl::ZeroDuration());
  KillAndRestart();
  const v1::Job after = cluster_.Get("train");
  if (before.phase() != v1::QUEUED) {
    EXPECT_EQ(after.placement().digest(), before.placement().digest());
  }
  for (const char* node : kNodes) cluster_.ResumeAgent(node);
  Touch(folder_ + "/go");
  ExpectSuccess();
}

TEST_F(Restart, Testing_GoesOnWithTheTest) {
  StartAgents(kMembers);
  cluster_.PauseAgent("b2");
  SubmitJob();
  const v1::Job before = cluster_.WaitForPhase("train", v1::TESTING);
  ASSERT_EQ(before.phase(), v1::TESTING) << before.ShortDebugString();
  KillAndRestart();
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::TESTING) << after.ShortDebugString();
  EXPECT_EQ(after.placement().digest(), before.placement().digest());
  cluster_.ResumeAgent("b2");
  Touch(folder_ + "/go");
  ExpectSuccess();
}

TEST_F(Restart, Assembling_WaitsForTheMissingMember) {
  // The last node's member comes when it is let.
  const std::string late = folder_ + "/late-muster";
  std::ofstream(late) << "#!/bin/sh\nuntil [ -e " << folder_ << "/come ]; do sleep 0.1; done\nexec "
                      << Binary("client/cli/muster") << " \"$@\"\n";
  chmod(late.c_str(), 0755);
  StartAgents(kMembers, late);
  SubmitJob();
  const v1::Job before = cluster_.WaitForPhase("train", v1::ASSEMBLING);
  ASSERT_EQ(before.phase(), v1::ASSEMBLING) << before.ShortDebugString() << cluster_.Logs();
  KillAndRestart();
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::ASSEMBLING) << after.ShortDebugString();
  EXPECT_EQ(after.placement().digest(), before.placement().digest());
  EXPECT_TRUE(Seen().empty()) << "released without the last member";
  Touch(folder_ + "/come");
  Touch(folder_ + "/go");
  ExpectSuccess();
}

TEST_F(Restart, Running_NobodyNoticesAndTheAssignmentIsByteEqual) {
  StartAgents(kMembers);
  SubmitJob();
  ASSERT_TRUE(AllRun()) << cluster_.Logs();
  std::map<int, std::string> before;
  for (int rank = 0; rank < kMembers * kWorkers; rank += kWorkers) before[rank] = AssignmentOf(rank);
  for (int round = 0; round < 2; ++round) {
    KillAndRestart();
    for (const auto& [rank, bytes] : before) EXPECT_EQ(AssignmentOf(rank), bytes) << "rank " << rank;
    EXPECT_EQ(cluster_.Get("train").phase(), v1::RUNNING);
  }
  Touch(folder_ + "/go");
  ExpectSuccess();
}

TEST_F(Restart, Stopping_GoesOnToTheSameEnd) {
  StartAgents(kMembers);
  SubmitJob();
  ASSERT_TRUE(AllRun()) << cluster_.Logs();
  // The members report their exits; this node's agent can't confirm that they have ended.
  cluster_.PauseAgent("b2");
  Touch(folder_ + "/go");
  const v1::Job before = cluster_.WaitForPhase("train", v1::STOPPING);
  ASSERT_EQ(before.phase(), v1::STOPPING) << before.ShortDebugString() << cluster_.Logs();
  KillAndRestart();
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::STOPPING) << after.ShortDebugString();
  EXPECT_EQ(cluster_.GetNode("b2").use(), v1::NODE_STOPPING);
  cluster_.ResumeAgent("b2");
  ExpectSuccess();
}

// The same while the server is down for longer than a moment: exits that happen meanwhile are told later.
TEST_F(Restart, ExitsWhileItIsDown_AreToldAfterwards) {
  StartAgents(kMembers);
  SubmitJob();
  ASSERT_TRUE(AllRun()) << cluster_.Logs();
  cluster_.KillServer();
  Touch(folder_ + "/go");
  ASSERT_TRUE(Eventually([&] {
    const std::filesystem::directory_iterator ended(folder_ + "/ended");
    return std::distance(begin(ended), end(ended)) == kMembers * kWorkers;
  }));
  cluster_.StartServer();
  ExpectSuccess();
}

}  // namespace
}  // namespace muster::harness
