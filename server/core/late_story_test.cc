// What agents report honestly but late, and what an agent's word is not good for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/core/story.h"

namespace muster::core {
namespace {

class LateStory : public Story {
 protected:
  absl::Status Report(const FakeAgent& agent, v1::ReportTaskRequest request) {
    request.set_node_uid(agent.info.uid());
    request.mutable_session()->set_ordinal(agent.ordinal);
    return h_
        .Ask<v1::ReportTaskResponse>(
            [&](Coordinator& c, Reply<v1::ReportTaskResponse> r) { c.ReportTask(request, std::move(r)); })
        .status();
  }

  FakeAgent& AgentOf(const std::string& node) {
    for (auto& agent : agents_)
      if (agent->info.name() == node) return *agent;
    return *agents_[0];
  }

  // A job of two members that agents start, running.
  void AgentsRun(const std::string& name) {
    ASSERT_TRUE(h_.Submit(name, Spec(2, v1::LaunchSpec::AGENT)).ok());
    Settled();
    members_ = MembersOf(name);
    for (FakeMember& member : members_) member.incarnation = AgentOf(member.node).members.at(member.index);
    CallAll(members_);
    ASSERT_EQ(h_.Phase(name), v1::RUNNING) << h_.Job(name).why();
  }
};

TEST_F(LateStory, ReportOfATestThatIsOver_IsTakenAndChangesNothing) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  agents_[0]->reports = false;
  const std::vector<v1::Task> tasks = agents_[0]->Turn();
  ASSERT_EQ(tasks.size(), 1u);
  ASSERT_TRUE(h_.Cancel("job").ok());
  v1::ReportTaskRequest late;
  *late.mutable_mark() = tasks[0].mark();
  late.mutable_test()->set_test_id(tasks[0].run_test().plan().test_id());
  late.mutable_test()->set_round(tasks[0].run_test().plan().round());
  late.mutable_test()->set_final(true);
  const absl::Status taken = Report(*agents_[0], late);
  EXPECT_TRUE(taken.ok()) << taken;
  EXPECT_TRUE(h_.store->Keys(store::Kind::kTest)->empty());
  Settled();
  EXPECT_EQ(h_.Job("job").result(), v1::RESULT_CANCELLED);
}

TEST_F(LateStory, AgentLivesButItsMemberCallsNoMore_LeaseIsLostAfterTheGrace) {
  Agents(3);
  ASSERT_NO_FATAL_FAILURE(AgentsRun("job"));
  auto watch = members_[0].Watch(h_, 1);
  // Member 1 never watches: it is stopped, say. Its agent calls all the time.
  for (int i = 0; i < 60 && h_.Phase("job") == v1::RUNNING; ++i) {
    h_.Advance(absl::Seconds(5));
    Settled();
    if (watch.done() && h_.Phase("job") == v1::RUNNING) watch = members_[0].Watch(h_, 1);
  }
  EXPECT_NE(h_.Phase("job"), v1::RUNNING);
}

}  // namespace
}  // namespace muster::core
