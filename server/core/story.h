#pragma once
// What the tests that tell a story through the core begin with: agents, and jobs brought to where the story starts.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/core/harness.h"

namespace muster::core {

class Story : public ::testing::Test {
 protected:
  // Nodes n<first>, n<first+1> …, two a rack.
  void Agents(int count, int first = 0);
  void Settled() { Settle(h_, agents_); }

  // Members of the placed job, each on the node of its rank.
  std::vector<FakeMember> MembersOf(const std::string& name);
  std::vector<Pending<v1::GetRankResponse>> CallAll(const std::vector<FakeMember>& members);
  // A job of `count` members (members_), released; their assignments.
  std::vector<std::string> Released(const std::string& name, int count);

  Harness h_;
  std::vector<std::unique_ptr<FakeAgent>> agents_;
  std::vector<FakeMember> members_;
};

}  // namespace muster::core
