// The answer with the ranks is lost on its way while its epoch ends: the member has nothing to report the end of, and
// says so when it calls again.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/core/coordinator.h"
#include "server/core/harness.h"

namespace muster::core {
namespace {

class LostAnswer : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) {
      agents_.push_back(std::make_unique<FakeAgent>(h_, absl::StrCat("n", i), "r0"));
      ASSERT_TRUE(agents_.back()->Register().ok());
    }
    ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
    Settle(h_, agents_);
    const v1::Job job = h_.Job("job");
    for (int i = 0; i < 2; ++i) {
      FakeMember& member = members_[i];
      member.job.set_name("job");
      member.index = i;
      member.incarnation.set_ordinal(1);
      member.node = job.placement().ranks(i).node();
      member.last_epoch = 0;
      member.Call(h_);
    }
    ASSERT_EQ(h_.Phase("job"), v1::RUNNING) << h_.Job("job").why();
  }

  // Member 1 has failed and comes again; member 0 calls again with what it has had.
  v1::Phase AfterTheRepair() {
    EXPECT_TRUE(members_[1].Exit(h_, 1, 7).ok());
    EXPECT_EQ(h_.Phase("job"), v1::REPAIRING);
    members_[0].Call(h_);
    Settle(h_, agents_);
    members_[1].incarnation.set_ordinal(2);
    members_[1].Call(h_);
    return h_.Phase("job");
  }

  Harness h_;
  std::vector<std::unique_ptr<FakeAgent>> agents_;
  FakeMember members_[2];
};

TEST_F(LostAnswer, MemberThatSaysSo_DoesNotHoldUpTheRepair) {
  EXPECT_EQ(AfterTheRepair(), v1::RUNNING) << h_.Job("job").why();
  EXPECT_EQ(h_.Job("job").epoch(), 2);
}

TEST_F(LostAnswer, MemberThatHadTheAnswer_IsWaitedFor) {
  members_[0].last_epoch = 1;
  EXPECT_EQ(AfterTheRepair(), v1::REPAIRING) << "its command may run";
  EXPECT_TRUE(members_[0].Exit(h_, 1, 143, /*ordered=*/true).ok());
  Settle(h_, agents_);
  EXPECT_EQ(h_.Phase("job"), v1::RUNNING) << h_.Job("job").why();
}

TEST_F(LostAnswer, MemberThatSaysNothing_IsWaitedFor) {
  members_[0].last_epoch.reset();
  EXPECT_EQ(AfterTheRepair(), v1::REPAIRING);
}

// The call that says 0 was on its way since before the answer, which came: the member watches its epoch.
TEST_F(LostAnswer, LateCallOfAMemberThatWatches_CountsForNothing) {
  auto watch = members_[0].Watch(h_, 1);
  EXPECT_EQ(AfterTheRepair(), v1::REPAIRING) << "its command may run";
  ASSERT_TRUE(watch.done());
}

}  // namespace
}  // namespace muster::core
