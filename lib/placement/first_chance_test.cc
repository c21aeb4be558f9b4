#include "lib/placement/first_chance.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/place.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1796043600);  // 13:00 UTC

class FirstChanceTest : public ::testing::Test {
 protected:
  FirstChanceTest()
      : cluster_(ClusterOf({"rack"}, {{{"r1"}, {"a1", "a2"}}, {{"r2"}, {"b1", "b2"}}})),
        request_(RequestOf("team/x", Job(3, 8), nullptr).value()) {}

  NodeState& At(const std::string& name) { return cluster_.state_of(*cluster_.topology->Find(name)); }
  void Hold(const std::string& name, const std::string& job, absl::Duration ends) {
    At(name).free = false;
    At(name).holder = job;
    outlook_.ends[name] = kNow + ends;
  }
  void Ail(const std::string& name, absl::Duration heals) {
    At(name).ok = false;
    outlook_.heals[name] = kNow + heals;
  }
  std::string Say() {
    EXPECT_NE(CanPlace(request_, cluster_), v1::OK);
    return FirstChance(request_, cluster_, outlook_);
  }

  Cluster cluster_;
  Request request_;
  Outlook outlook_{kNow, {}, {}};
};

TEST_F(FirstChanceTest, NamesWhatMustHappenUntilItFits) {
  Hold("a1", "team/small", absl::Minutes(160));
  Ail("a2", absl::Minutes(65));
  Hold("b1", "team/long", absl::Hours(100));
  EXPECT_EQ(Say(), "possible by 15:40 UTC (in 2h40m), when team/small has ended and a2 is let back");
}

TEST_F(FirstChanceTest, AnotherDay_IsNamed) {
  Hold("a1", "team/long", absl::Hours(100));
  Hold("a2", "team/long", absl::Hours(100));
  EXPECT_EQ(Say(), "possible by Dec 04 17:00 UTC (in 4d4h), when team/long has ended");
}

TEST_F(FirstChanceTest, NobodyHasDeclaredAnything) {
  Hold("a1", "team/small", absl::InfiniteDuration());
  Ail("a2", absl::InfiniteDuration());
  EXPECT_EQ(Say(), "when: unknown, for no job that holds nodes has declared its end and no quarantine has one");
}

TEST_F(FirstChanceTest, DeclaredEnds_AreNotEnough) {
  Hold("a1", "team/small", absl::Minutes(5));
  Hold("a2", "team/big", absl::InfiniteDuration());
  Hold("b1", "team/big", absl::InfiniteDuration());
  EXPECT_EQ(Say(), "when: unknown, for the ends that are declared don't make enough room");
}

TEST_F(FirstChanceTest, NodesThatCannotServe_AreNotWaitedFor) {
  request_.slots = 16;
  Ail("a1", absl::Minutes(5));
  EXPECT_EQ(FirstChance(request_, cluster_, outlook_),
            "when: unknown, for no job that holds nodes has declared its end and no quarantine has one");
}

TEST_F(FirstChanceTest, AnEndInThePast_IsAnyMoment) {
  Hold("a1", "team/small", absl::Minutes(-5));
  Hold("a2", "team/small", absl::Minutes(-5));
  EXPECT_EQ(Say(), "possible by 12:55 UTC (any moment), when team/small has ended");
}

}  // namespace
}  // namespace muster::placement
