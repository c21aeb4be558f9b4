// GetRank under repetition, restarts and races, over real connections: one incarnation, one answer; of many
// incarnations the greatest, whatever the order in which they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/muster/v1/assignment.pb.h"
#include "tests/harness/cluster.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

constexpr int kRacers = 64;

class Handshake : public testing::Test {
 protected:
  Handshake() : cluster_({"--may-waive", "*", "--agent-lease", "10m", "--member-lease", "10m"}) {}

  void SetUp() override {
    cluster_.StartServer();
    for (const char* name : {"n1", "n2"}) {
      nodes_.push_back(std::make_unique<FakeNode>(cluster_, NodeSpec{.name = name}));
      nodes_.back()->Serve();
    }
  }

  // Two members, placed and waiting to be called.
  v1::Job Assembling(const std::string& name) {
    cluster_.Submit(ExternalJob(name, 2, 2, {{"tp", 2}, {"dp", 2}}));
    const v1::Job job = cluster_.WaitForPhase(name, v1::ASSEMBLING);
    EXPECT_EQ(job.phase(), v1::ASSEMBLING) << job.ShortDebugString();
    return job;
  }

  // So that the next job finds the nodes free: those that were released say themselves that they have ended.
  void End(const v1::Job& job, const std::vector<v1::GetRankRequest>& released) {
    cluster_.Cancel(job.name());
    for (const v1::GetRankRequest& member : released) EXPECT_TRUE(ReportExit(cluster_, member, 1, 143).ok());
    EXPECT_EQ(cluster_.WaitForEnd(job.name()).result(), v1::RESULT_CANCELLED);
  }

  // How many calls the server holds for this job's member is not told; that it is present is.
  bool Present(const v1::Job& job, int index) {
    return Eventually([&] {
      const v1::Job seen = cluster_.Get(job.name());
      for (const v1::MemberStatus& member : seen.members()) {
        if (member.pod_index() == index && member.present()) return true;
      }
      return false;
    });
  }

  Cluster cluster_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
};

TEST_F(Handshake, RepeatedCalls_AreByteEqualWithinTheEpochAlsoOverKills) {
  const v1::Job job = Assembling("train");
  HeldRank zero(cluster_, RankRequest(job, 0, 7, "n1")), one(cluster_, RankRequest(job, 1, 7, "n2"));
  ASSERT_TRUE(zero.Wait() && one.Wait());
  ASSERT_EQ(zero.outcome(), v1::READY) << zero.status().error_message();
  ASSERT_EQ(one.outcome(), v1::READY) << one.status().error_message();
  v1::Assignment assignment;
  ASSERT_TRUE(assignment.ParseFromString(zero.response().assignment()));
  EXPECT_EQ(assignment.epoch(), 1);
  uint64_t term = zero.response().envelope().term();
  for (int kill = 0; kill < 3; ++kill) {
    if (kill > 0) {
      cluster_.KillServer();
      cluster_.StartServer();
    }
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_EQ(GetAssignment(cluster_, RankRequest(job, 0, 7, "n1")), zero.response().assignment());
      EXPECT_EQ(GetAssignment(cluster_, RankRequest(job, 1, 7, "n2")), one.response().assignment());
    }
    HeldRank again(cluster_, RankRequest(job, 0, 7, "n1"));
    ASSERT_TRUE(again.Wait());
    const uint64_t now = again.response().envelope().term();
    EXPECT_EQ(now > term, kill > 0) << "term " << now << " after " << term;
    term = now;
  }
}

TEST_F(Handshake, ANewEpoch_HasOtherBytesAndTheOldAssertionIsStale) {
  const v1::Job job = Assembling("train");
  HeldRank zero(cluster_, RankRequest(job, 0, 1, "n1")), one(cluster_, RankRequest(job, 1, 1, "n2"));
  ASSERT_TRUE(zero.Wait() && one.Wait());
  ASSERT_EQ(one.outcome(), v1::READY) << one.status().error_message();
  // Member 1 starts again: a new epoch for all, once member 0 has ended its command and called.
  HeldRank restarted(cluster_, RankRequest(job, 1, 2, "n2"));
  EXPECT_TRUE(Eventually([&] { return cluster_.Get("train").phase() != v1::RUNNING; }));
  HeldRank old(cluster_, RankRequest(job, 1, 1, "n2"));
  ASSERT_TRUE(old.Wait());
  EXPECT_EQ(old.outcome(), v1::SUPERSEDED) << old.status().error_message();
  EXPECT_TRUE(ReportExit(cluster_, RankRequest(job, 0, 1, "n1"), 1, 143).ok());
  EXPECT_TRUE(ReportExit(cluster_, RankRequest(job, 1, 1, "n2"), 1, 143).ok());
  HeldRank survivor(cluster_, RankRequest(job, 0, 1, "n1"));
  ASSERT_TRUE(survivor.Wait() && restarted.Wait()) << cluster_.Get("train").ShortDebugString();
  ASSERT_EQ(survivor.outcome(), v1::READY) << survivor.status().error_message();
  ASSERT_EQ(restarted.outcome(), v1::READY) << restarted.status().error_message();
  v1::Assignment before, after;
  ASSERT_TRUE(before.ParseFromString(zero.response().assignment()));
  ASSERT_TRUE(after.ParseFromString(survivor.response().assignment()));
  EXPECT_EQ(after.epoch(), before.epoch() + 1);
  EXPECT_EQ(after.node_rank(), before.node_rank());
  EXPECT_EQ(after.node(), before.node());
  v1::GetRankRequest asserting = RankRequest(job, 0, 1, "n1");
  asserting.set_expected_epoch(before.epoch());
  HeldRank stale(cluster_, asserting);
  ASSERT_TRUE(stale.Wait());
  EXPECT_EQ(stale.outcome(), v1::STALE) << stale.status().error_message();
}

TEST_F(Handshake, SupersededIncarnation_IsToldAtOnceAlsoWhileItsCallIsHeld) {
  const v1::Job job = Assembling("train");
  HeldRank old(cluster_, RankRequest(job, 0, 1, "n1"));
  ASSERT_TRUE(Present(job, 0));
  EXPECT_FALSE(old.Done());
  HeldRank fresh(cluster_, RankRequest(job, 0, 2, "n1"));
  // Its poll would have been a minute.
  ASSERT_TRUE(old.Wait(absl::Seconds(20)));
  EXPECT_EQ(old.status().error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(old.outcome(), v1::SUPERSEDED) << old.status().error_message();
  EXPECT_FALSE(fresh.Done());
  // For good: also over a restart of the server, also if the newer one is gone.
  cluster_.KillServer();
  cluster_.StartServer();
  HeldRank again(cluster_, RankRequest(job, 0, 1, "n1"));
  ASSERT_TRUE(again.Wait(absl::Seconds(30)));
  EXPECT_EQ(again.outcome(), v1::SUPERSEDED) << again.status().error_message();
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::ASSEMBLING) << after.ShortDebugString();
}

TEST_F(Handshake, SixtyFourCallsOfOneIncarnation_GetOneAnswer) {
  const v1::Job job = Assembling("train");
  std::vector<std::unique_ptr<HeldRank>> calls;
  for (int i = 0; i < kRacers; ++i) {
    calls.push_back(std::make_unique<HeldRank>(cluster_, RankRequest(job, 0, 5, "n1")));
    // Some are there before the gang is complete, some come while it is released, some after.
    if (i == kRacers / 2) {
      calls.push_back(std::make_unique<HeldRank>(cluster_, RankRequest(job, 1, 5, "n2")));
    }
  }
  std::string answer;
  int answers = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    ASSERT_TRUE(calls[i]->Wait()) << "call " << i;
    ASSERT_EQ(calls[i]->outcome(), v1::READY) << "call " << i << ": " << calls[i]->status().error_message();
    if (i == kRacers / 2 + 1) continue;
    if (answer.empty()) answer = calls[i]->response().assignment();
    EXPECT_EQ(calls[i]->response().assignment(), answer) << "call " << i;
    ++answers;
  }
  EXPECT_EQ(answers, kRacers);
  EXPECT_EQ(cluster_.Get("train").epoch(), 1);
}

TEST_F(Handshake, SixtyFourIncarnationsOfOneIndex_TheGreatestWinsInAnyOrder) {
  for (const int seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const v1::Job job = Assembling(absl::StrCat("race-", seed));
    std::vector<int> ordinals(kRacers);
    std::iota(ordinals.begin(), ordinals.end(), 100);
    // The two orders that a shuffle would never give come first.
    if (seed == 2) std::reverse(ordinals.begin(), ordinals.end());
    if (seed > 2) std::shuffle(ordinals.begin(), ordinals.end(), std::mt19937(seed));
    std::vector<std::unique_ptr<HeldRank>> calls;
    for (const int ordinal : ordinals) {
      calls.push_back(std::make_unique<HeldRank>(cluster_, RankRequest(job, 0, ordinal, "n1")));
    }
    const size_t greatest = std::max_element(ordinals.begin(), ordinals.end()) - ordinals.begin();
    int refused = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
      if (i == greatest) continue;
      ASSERT_TRUE(calls[i]->Wait()) << "ordinal " << ordinals[i];
      EXPECT_EQ(calls[i]->outcome(), v1::SUPERSEDED) << "ordinal " << ordinals[i];
      EXPECT_EQ(calls[i]->status().error_code(), grpc::FAILED_PRECONDITION);
      ++refused;
    }
    EXPECT_EQ(refused, kRacers - 1);
    EXPECT_FALSE(calls[greatest]->Done());
    HeldRank other(cluster_, RankRequest(job, 1, 1, "n2"));
    ASSERT_TRUE(calls[greatest]->Wait() && other.Wait());
    EXPECT_EQ(calls[greatest]->outcome(), v1::READY) << calls[greatest]->status().error_message();
    EXPECT_EQ(other.outcome(), v1::READY);
    EXPECT_EQ(cluster_.Get(job.name()).epoch(), 1);
    End(job, {RankRequest(job, 0, ordinals[greatest], "n1"), RankRequest(job, 1, 1, "n2")});
  }
}

TEST_F(Handshake, OneCallAWorker_EachGetsItsOwnRank) {
  const v1::Job job = Assembling("train");
  std::vector<std::unique_ptr<HeldRank>> calls;
  for (int worker = 0; worker < 4; ++worker) {
    v1::GetRankRequest request = RankRequest(job, worker / 2, 1, worker < 2 ? "n1" : "n2");
    request.set_local_rank(worker % 2);
    calls.push_back(std::make_unique<HeldRank>(cluster_, request));
    // A member is present when all its workers have called.
    if (worker == 2) {
      EXPECT_FALSE(calls[0]->Done());
    }
  }
  for (int worker = 0; worker < 4; ++worker) {
    ASSERT_TRUE(calls[worker]->Wait());
    ASSERT_EQ(calls[worker]->outcome(), v1::READY) << calls[worker]->status().error_message();
    v1::Assignment assignment;
    ASSERT_TRUE(assignment.ParseFromString(calls[worker]->response().assignment()));
    EXPECT_EQ(assignment.local_rank(), worker % 2);
    EXPECT_EQ(assignment.node(), worker < 2 ? "n1" : "n2");
    EXPECT_EQ(assignment.dense_size(), 2) << assignment.ShortDebugString();
    EXPECT_LT(calls[worker]->response().assignment().size(), 1024u);
  }
}

TEST_F(Handshake, OnAnotherNode_IsRefusedWithTheNodesOfTheJob) {
  FakeNode third(cluster_, {.name = "n3"});
  const v1::Job job = Assembling("train");
  HeldRank wrong(cluster_, RankRequest(job, 0, 1, "n3"));
  ASSERT_TRUE(wrong.Wait());
  EXPECT_EQ(wrong.outcome(), v1::WRONG_NODE) << wrong.status().error_message();
  EXPECT_NE(wrong.status().error_message().find("n1"), std::string::npos) << wrong.status().error_message();
}

}  // namespace
}  // namespace muster::harness
