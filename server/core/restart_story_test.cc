// The coordinator is killed and started again on the same store, in every phase.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using RestartStory = Story;

TEST_F(RestartStory, Restart_InEveryPhase_GoesOn) {
  struct Row {
    const char* name;
    v1::Phase phase;
  };
  for (const Row& row : {Row{"queued", v1::QUEUED}, Row{"testing", v1::TESTING}, Row{"assembling", v1::ASSEMBLING},
                         Row{"running", v1::RUNNING}, Row{"stopping", v1::STOPPING}, Row{"finished", v1::FINISHED}}) {
    SCOPED_TRACE(row.name);
    Harness h;
    std::vector<std::unique_ptr<FakeAgent>> agents;
    for (int i = 0; i < 2; ++i) agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
    const auto enroll = [&] {
      for (auto& agent : agents) ASSERT_TRUE(agent->Register().ok());
    };
    const auto at = [&](v1::Phase phase) {
      if (phase != row.phase) return;
      EXPECT_EQ(h.Phase("job"), phase) << h.Job("job").why();
      h.Start();
    };
    ASSERT_TRUE(h.Submit("job", Spec(2, v1::LaunchSpec::AGENT)).ok());
    at(v1::QUEUED);
    enroll();
    at(v1::TESTING);
    Settle(h, agents);
    at(v1::ASSEMBLING);
    std::vector<FakeMember> members;
    for (auto& agent : agents) {
      ASSERT_EQ(agent->members.size(), 1u) << h.Job("job").why();
      FakeMember member;
      member.job.set_name("job");
      member.index = agent->members.begin()->first;
      member.incarnation = agent->members.begin()->second;
      member.node = agent->info.name();
      members.push_back(member);
    }
    std::vector<std::string> bytes;
    for (auto& member : members) (void)member.Call(h);
    for (auto& member : members) {
      auto call = member.Call(h);
      ASSERT_TRUE(call.done() && call.get().ok()) << h.Job("job").why();
      bytes.push_back(call.get()->assignment());
    }
    at(v1::RUNNING);
    for (size_t i = 0; i < members.size(); ++i) {
      auto call = members[i].Call(h);
      ASSERT_TRUE(call.done() && call.get().ok());
      EXPECT_EQ(call.get()->assignment(), bytes[i]);
    }
    Settle(h, agents);
    EXPECT_EQ(agents[0]->starts, 1);
    for (auto& agent : agents) agent->confirms = false;
    ASSERT_TRUE(h.Cancel("job").ok());
    Settle(h, agents);
    at(v1::STOPPING);
    for (auto& agent : agents) {
      agent->confirms = true;
      agent->ReportEnded(agent->seen.begin()->second);
    }
    Settle(h, agents);
    at(v1::FINISHED);
    EXPECT_EQ(h.Job("job").result(), v1::RESULT_CANCELLED);
    EXPECT_EQ(h.Node("n0").use(), v1::FREE);
  }
}

TEST_F(RestartStory, RestartWithReportsHalfIn_TestGoesOn) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  agents_[0]->Turn();
  EXPECT_EQ(h_.Phase("job"), v1::TESTING);
  h_.Start();
  agents_[1]->Turn();
  agents_[0]->Turn();
  EXPECT_EQ(agents_[0]->tests, 1);
  EXPECT_EQ(h_.Phase("job"), v1::ASSEMBLING) << h_.Job("job").why();
}

}  // namespace
}  // namespace muster::core
