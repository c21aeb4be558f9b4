#include "lib/selftest/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/proto_time.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/node_groups.h"

namespace muster::selftest {
namespace {

TEST(Plan, DemoMesh_HasOneStepPerFamilyAndCollective) {
  const v1::TestPlan plan = MakePlan(DemoSetting()).value();
  std::map<std::string, int> steps;
  for (const v1::TestStep& step : plan.steps()) {
    ++steps[step.family()];
    EXPECT_EQ(step.groups_size(), step.family() == "rail" ? 2 : 4);
    EXPECT_EQ(step.bytes() % 8, 0);
  }
  EXPECT_EQ(steps, (std::map<std::string, int>{{"tp", 3}, {"dp", 2}, {"pp", 1}, {"rail", 1}, {"pairs", 3}}));
  EXPECT_EQ(plan.round(), 1);
  EXPECT_EQ(plan.placement_digest(), "digest");
  EXPECT_EQ(plan.backend(), "simulated");
  EXPECT_EQ(FromProto(plan.deadline()), absl::Seconds(60));
}

TEST(Plan, EveryStep_HasEachWorkerAtMostOnceAndIndexesInOrder) {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  spec.cp = 2;
  spec.pp = 2;
  Setting setting = FakeSetting(spec, 64, 8);
  setting.spec.set_profile(v1::SelfTestSpec::STANDARD);
  const v1::TestPlan plan = MakePlan(setting).value();
  EXPECT_GT(plan.steps_size(), 0);
  for (int i = 0; i < plan.steps_size(); ++i) {
    EXPECT_EQ(plan.steps(i).index(), i);
    std::set<int64_t> seen;
    int64_t last = -1;
    for (const v1::TestGroup& group : plan.steps(i).groups()) {
      EXPECT_GT(group.index(), last);
      last = group.index();
      const std::vector<int64_t> ranks = MembersOf(group.ranks()).value();
      for (int64_t rank : ranks) EXPECT_TRUE(seen.insert(rank).second);
    }
    const bool all = plan.steps(i).family() != kNeighbourFamily;
    EXPECT_EQ(seen.size(), all ? 64u : seen.size()) << plan.steps(i).family();
  }
}

TEST(Plan, WithoutAMesh_TestsTheWorldItsNodesAndTheirPairs) {
  const v1::TestPlan plan = MakePlan(FakeSettingWithoutMesh(6, 2)).value();
  std::map<std::string, int> steps;
  for (const v1::TestStep& step : plan.steps()) ++steps[step.family()];
  EXPECT_EQ(steps, (std::map<std::string, int>{{"world", 2}, {"node", 1}, {"rail", 1}, {"pairs", 3}}));
  EXPECT_EQ(plan.steps(0).bytes() % 24, 0);
  EXPECT_LE(plan.steps(0).bytes(), 1 << 20);
  EXPECT_EQ(MembersOf(plan.steps(0).groups(0).ranks()).value().size(), 6u);
}

// Where every group of an axis spans the same nodes, only pairs tell them apart: each node is in one at least.
TEST(Plan, Pairs_TestEveryNodeOnEveryRail) {
  mesh::MegatronSpec spec;
  spec.tp = 8;
  for (int nodes : {2, 3, 5, 9, 32}) {
    std::set<int64_t> tested;
    const v1::TestPlan plan = MakePlan(FakeSetting(spec, nodes * 8, 8)).value();
    for (const v1::TestStep& step : plan.steps()) {
      if (step.family() != kPairFamily) continue;
      for (const v1::TestGroup& group : step.groups()) {
        const auto ranks = MembersOf(group.ranks()).value();
        EXPECT_EQ(ranks[0] % 8, ranks[1] % 8) << "one rail";
        EXPECT_NE(ranks[0] / 8, ranks[1] / 8);
        tested.insert(ranks.begin(), ranks.end());
      }
    }
    EXPECT_EQ(static_cast<int>(tested.size()), nodes * 8);
  }
}

TEST(Plan, LongPipeline_TestsEachHopByItself) {
  mesh::MegatronSpec spec;
  spec.pp = 4;
  std::set<std::vector<int64_t>> hops;
  const v1::TestPlan plan = MakePlan(FakeSetting(spec, 8, 2)).value();
  for (const v1::TestStep& step : plan.steps()) {
    if (step.family() != kNeighbourFamily) continue;
    for (const v1::TestGroup& group : step.groups()) hops.insert(MembersOf(group.ranks()).value());
  }
  EXPECT_EQ(hops, (std::set<std::vector<int64_t>>{{0, 2}, {2, 4}, {4, 6}, {1, 3}, {3, 5}, {5, 7}}));
}

TEST(Plan, EqualGroups_AreTestedOnce) {
  mesh::MegatronSpec spec;
  spec.tp = 2;  // tp is the node
  std::set<std::pair<int, std::set<std::string>>> seen;
  const v1::TestPlan plan = MakePlan(FakeSetting(spec, 8, 2)).value();
  for (const v1::TestStep& step : plan.steps()) {
    EXPECT_NE(step.family(), kNodeFamily);
    std::set<std::string> groups;
    for (const v1::TestGroup& group : step.groups()) groups.insert(group.ranks().SerializeAsString());
    EXPECT_TRUE(seen.emplace(step.collective(), groups).second) << step.ShortDebugString();
  }
}

TEST(Plan, WideRails_AreCutIntoSlices) {
  mesh::MegatronSpec spec;
  spec.tp = 2;
  const v1::TestPlan plan = MakePlan(FakeSetting(spec, 300, 2)).value();
  for (const v1::TestStep& step : plan.steps()) {
    if (step.family() != kRailFamily) continue;
    for (const v1::TestGroup& group : step.groups()) EXPECT_LE(MembersOf(group.ranks()).value().size(), 64u);
  }
}

TEST(Plan, Profiles_KeepToTheirTime) {
  for (const auto& [profile, limit] : {std::pair(v1::SelfTestSpec::QUICK, absl::Seconds(20)),
                                       std::pair(v1::SelfTestSpec::STANDARD, absl::Minutes(2))}) {
    for (const char* backend : {"gloo", "nccl"}) {
      mesh::MegatronSpec spec;
      spec.tp = 4;
      spec.cp = 2;
      spec.pp = 2;
      Setting setting = FakeSetting(spec, 64, 8);
      setting.spec.set_profile(profile);
      setting.spec.set_backend(backend);
      const v1::TestPlan plan = MakePlan(setting).value();
      EXPECT_LE(FromProto(plan.estimate()), limit)
          << backend << ": " << absl::FormatDuration(FromProto(plan.estimate()));
      EXPECT_GT(FromProto(plan.estimate()), absl::Seconds(0.1));
      for (const v1::TestStep& step : plan.steps()) {
        EXPECT_GT(FromProto(step.deadline()), absl::ZeroDuration());
        EXPECT_GT(FromProto(step.budget()), absl::ZeroDuration());
      }
    }
  }
}

TEST(Plan, OneWorker_HasNothingToTest) {
  EXPECT_EQ(MakePlan(FakeSettingWithoutMesh(1, 1)).value().steps_size(), 0);
  EXPECT_EQ(MakePlan(FakeSetting({}, 1, 1)).value().steps_size(), 0);
}

TEST(Plan, CarriedGroups_AreNotRunAgain) {
  Setting setting = DemoSetting();
  const v1::TestPlan whole = MakePlan(setting).value();
  v1::GroupResult carried;
  carried.set_family(whole.steps(0).family());
  carried.set_collective(whole.steps(0).collective());
  carried.set_bytes(whole.steps(0).bytes());
  carried.set_group_index(2);
  setting.carried = {carried};
  const v1::TestPlan plan = MakePlan(setting).value();
  EXPECT_EQ(plan.steps(0).groups_size(), 3);
  EXPECT_EQ(plan.steps(1).groups_size(), 4);
}

TEST(Plan, ContradictorySettings_AreRefused) {
  Setting none = DemoSetting();
  none.spec.set_profile(v1::SelfTestSpec::NONE);
  Setting placement = DemoSetting();
  placement.placement = FakePlacement(3);
  Setting missing = DemoSetting();
  missing.placement = nullptr;
  Setting mesh = DemoSetting();
  mesh.world = 4;
  mesh.placement = FakePlacement(2);
  Setting huge = FakeSettingWithoutMesh(1, 1);
  huge.world = INT64_MAX;
  Setting zero = FakeSettingWithoutMesh(1, 1);
  zero.workers_per_member = 0;
  for (const Setting& bad : {none, placement, missing, mesh, huge, zero}) {
    EXPECT_EQ(MakePlan(bad).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace muster::selftest
