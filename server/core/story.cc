#include "server/core/story.h"

#include "absl/strings/str_cat.h"

namespace muster::core {

void Story::Agents(int count, int first) {
  for (int i = first; i < first + count; ++i) {
    agents_.push_back(std::make_unique<FakeAgent>(h_, absl::StrCat("n", i), absl::StrCat("r", i / 2)));
    ASSERT_TRUE(agents_.back()->Register().ok());
  }
}

std::vector<FakeMember> Story::MembersOf(const std::string& name) {
  const v1::Job job = h_.Job(name);
  std::vector<FakeMember> members;
  for (int i = 0; i < job.spec().members(); ++i) {
    FakeMember member;
    member.job.set_name(name);
    member.index = i;
    member.incarnation.set_ordinal(1);
    if (i < job.placement().ranks_size()) member.node = job.placement().ranks(i).node();
    members.push_back(member);
  }
  return members;
}

std::vector<Pending<v1::GetRankResponse>> Story::CallAll(const std::vector<FakeMember>& members) {
  std::vector<Pending<v1::GetRankResponse>> calls;
  for (const FakeMember& member : members) calls.push_back(member.Call(h_));
  return calls;
}

std::vector<std::string> Story::Released(const std::string& name, int count) {
  EXPECT_TRUE(h_.Submit(name, Spec(count)).ok());
  Settled();
  members_ = MembersOf(name);
  auto calls = CallAll(members_);
  std::vector<std::string> bytes;
  for (auto& call : calls) {
    EXPECT_TRUE(call.done() && call.get().ok() && call.get()->has_assignment());
    bytes.push_back(call.done() && call.get().ok() ? call.get()->assignment() : "");
  }
  return bytes;
}

}  // namespace muster::core
