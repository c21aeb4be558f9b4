// What the queue's policies come to in the coordinator: preemption, quotas, durations, classes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/explain.h"
#include "server/core/harness.h"

namespace muster::core {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// `nodes` agents, two a rack.
struct World {
  explicit World(int nodes, Options options = {}) : h(options) {
    for (int i = 0; i < nodes; ++i) {
      agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), absl::StrCat("r", i / 2)));
      EXPECT_TRUE(agents.back()->Register().ok());
    }
  }
  void Settled() { Settle(h, agents); }
  // Its members call, each from the node of its rank.
  std::vector<FakeMember> Call(const std::string& name) {
    const v1::Job job = h.Job(name);
    std::vector<FakeMember> members;
    for (int i = 0; i < job.placement().ranks_size(); ++i) {
      FakeMember member;
      member.job.set_name(name);
      member.index = i;
      member.incarnation.set_ordinal(1);
      member.node = job.placement().ranks(i).node();
      member.Call(h);
      members.push_back(member);
    }
    return members;
  }
  v1::Explanation Explain(const std::string& name) {
    v1::ExplainRequest request;
    request.mutable_job()->set_name(name);
    return core::Explain(h.Ask<ToExplain>([&](Coordinator& coordinator, Reply<ToExplain> reply) {
                            coordinator.ExplainJob(request, std::move(reply));
                          }).value());
  }

  Harness h;
  std::vector<std::unique_ptr<FakeAgent>> agents;
};

v1::JobSpec Lasting(v1::JobSpec spec, absl::Duration duration) {
  spec.mutable_limits()->mutable_max_duration()->set_seconds(absl::ToInt64Seconds(duration));
  return spec;
}

v1::JobSpec Urgent(v1::JobSpec spec, int priority) {
  spec.set_priority(priority);
  return spec;
}

TEST(CoordinatorQueue, Preemption_StopsTheLessUrgentAndQueuesItAgain) {
  Options options;
  options.queue.preempt = true;
  World world(2, options);
  ASSERT_TRUE(world.h.Submit("low", Spec(2)).ok());
  world.Settled();
  const std::vector<FakeMember> members = world.Call("low");
  ASSERT_EQ(world.h.Phase("low"), v1::RUNNING);
  ASSERT_TRUE(world.h.Submit("high", Urgent(Spec(2), 10)).ok());
  EXPECT_EQ(world.h.Phase("low"), v1::STOPPING);
  EXPECT_THAT(world.h.Job("low").why(), HasSubstr("preempted: default/high (priority 10) needs its nodes"));
  EXPECT_EQ(world.h.Phase("high"), v1::QUEUED) << "nothing is given on before its last user has ended";
  EXPECT_THAT(world.h.Job("high").why(), HasSubstr("makes room by stopping default/low of less priority"));
  EXPECT_THAT(world.Explain("high").details(), Contains(HasSubstr("(any moment), when default/low has ended")));
  ASSERT_TRUE(world.h.Submit("behind", Spec(1)).ok());
  EXPECT_THAT(world.h.Job("high").why(), HasSubstr("starts as soon as jobs that are ending have ended"));
  ASSERT_TRUE(world.h.Cancel("behind").ok());
  for (const FakeMember& member : members) ASSERT_TRUE(member.Exit(world.h, 1, 143, /*ordered=*/true).ok());
  world.Settled();
  EXPECT_EQ(world.h.Phase("high"), v1::ASSEMBLING);
  EXPECT_EQ(world.h.Phase("low"), v1::QUEUED);
  EXPECT_EQ(world.h.Job("low").tries(), 0);
  EXPECT_EQ(world.h.Job("low").queue_position(), 1);
}

TEST(CoordinatorQueue, WithoutPreemption_TheUrgentWaits) {
  World world(2);
  ASSERT_TRUE(world.h.Submit("low", Spec(2)).ok());
  world.Settled();
  world.Call("low");
  ASSERT_TRUE(world.h.Submit("high", Urgent(Spec(2), 10)).ok());
  EXPECT_EQ(world.h.Phase("low"), v1::RUNNING);
  EXPECT_EQ(world.h.Phase("high"), v1::QUEUED);
}

TEST(CoordinatorQueue, Quota_IsWhatExplainSays) {
  Options options;
  options.queue.quotas = {{"default", 3}};
  World world(4, options);
  ASSERT_TRUE(world.h.Submit("first", Spec(2)).ok());
  world.Settled();
  ASSERT_TRUE(world.h.Submit("second", Spec(2)).ok());
  EXPECT_EQ(world.h.Phase("second"), v1::QUEUED);
  EXPECT_THAT(world.h.Job("second").why(), HasSubstr("has 2 of the 3 that it may have at once"));
  const v1::Explanation explanation = world.Explain("second");
  EXPECT_EQ(explanation.feasibility(), v1::NOT_NOW) << "nodes there would be";
  EXPECT_THAT(explanation.summary(), HasSubstr("namespace default has 2 of the 3"));
}

TEST(CoordinatorQueue, Durations_LetTheQuickGoFirst_AndAreKept) {
  World world(4);
  const absl::Time start = world.h.clock.Now();
  ASSERT_TRUE(world.h.Submit("long", Lasting(Spec(2), absl::Hours(1))).ok());
  world.Settled();
  ASSERT_TRUE(world.h.Submit("wide", Spec(4)).ok());
  const v1::Job wide = world.h.Job("wide");
  EXPECT_EQ(absl::FromUnixSeconds(wide.starts_by().seconds()), start + absl::Minutes(62)) << "and two minutes to stop";
  ASSERT_TRUE(world.h.Submit("endless", Spec(1)).ok());
  ASSERT_TRUE(world.h.Submit("slow", Lasting(Spec(1), absl::Hours(2))).ok());
  ASSERT_TRUE(world.h.Submit("quick", Lasting(Spec(1), absl::Minutes(30))).ok());
  world.Settled();
  EXPECT_EQ(world.h.Phase("endless"), v1::QUEUED);
  EXPECT_EQ(world.h.Phase("slow"), v1::QUEUED);
  EXPECT_EQ(world.h.Phase("quick"), v1::ASSEMBLING);
  EXPECT_THAT(world.h.Job("endless").why(), HasSubstr("with limits.maxDuration up to"));
  const std::vector<FakeMember> members = world.Call("long");
  ASSERT_EQ(world.h.Phase("long"), v1::RUNNING);
  EXPECT_THAT(world.Explain("wide").details(),
              Contains(HasSubstr("(in 1h2m), when default/long, default/quick have ended")));
  // Agents and members are heard before their leases are over.
  for (int i = 0; i < 6 * 61; ++i) {
    world.h.Advance(absl::Seconds(10));
    for (auto& agent : world.agents) agent->Turn();
    for (const FakeMember& member : members) member.Watch(world.h, 1, absl::Seconds(0));
  }
  EXPECT_NE(world.h.Phase("long"), v1::RUNNING);
  EXPECT_THAT(world.h.Job("long").why(), HasSubstr("its maxDuration of 1h is over"));
}

TEST(CoordinatorQueue, Deadline_IsAnEndAsWell) {
  World world(2);
  const absl::Time start = world.h.clock.Now();
  v1::JobSpec spec = Lasting(Spec(2), absl::Hours(5));
  spec.mutable_limits()->mutable_deadline()->set_seconds(3600);
  ASSERT_TRUE(world.h.Submit("first", spec).ok());
  world.Settled();
  ASSERT_TRUE(world.h.Submit("second", Spec(1)).ok());
  EXPECT_EQ(absl::FromUnixSeconds(world.h.Job("second").starts_by().seconds()), start + absl::Minutes(62));
}

TEST(CoordinatorQueue, Explain_ProposesMoves) {
  World world(4);
  const auto on_rack = [](int members, const std::string& rack) {
    v1::JobSpec spec = Spec(members);
    if (rack.empty()) spec.mutable_placement()->set_required("rack");
    if (!rack.empty()) (*spec.mutable_placement()->mutable_node_selector())["topology.muster.dev/rack"] = rack;
    return spec;
  };
  ASSERT_TRUE(world.h.Submit("left", Spec(1)).ok());
  ASSERT_TRUE(world.h.Submit("right", on_rack(1, "r1")).ok());
  world.Settled();
  ASSERT_TRUE(world.h.Submit("whole", on_rack(2, "")).ok());
  ASSERT_EQ(world.h.Phase("whole"), v1::QUEUED);
  const v1::Explanation explanation = world.Explain("whole");
  EXPECT_THAT(explanation.details(),
              Contains(HasSubstr("moving default/left (1 node, 0 node-minutes of work) elsewhere "
                                 "would make room for it now in rack b0/r0")));
}

TEST(CoordinatorQueue, PriorityClass_StandsForItsNumber) {
  Options options;
  options.priority_classes = {{"high", 1000}, {"low", -10}};
  World world(1, options);
  v1::JobSpec spec = Spec(1);
  spec.set_priority_class("high");
  EXPECT_EQ(world.h.Submit("job", spec)->spec().priority(), 1000);
  spec.set_priority(7);
  EXPECT_EQ(DetailOf(world.h.Submit("other", spec).status())->field(), "spec.priority");
  spec.set_priority_class("hihg");
  const absl::Status unknown = world.h.Submit("other", spec).status();
  EXPECT_EQ(DetailOf(unknown)->field(), "spec.priorityClass");
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("use one of high, low"));
}

}  // namespace
}  // namespace muster::core
