#include "lib/selftest/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lib/base/proto_time.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/group_ranks.h"

namespace muster::selftest {
namespace {

TEST(Plan, DemoMesh_HasOneStepPerFamilyAndCollective) {
  const v1::TestPlan plan = MakePlan(DemoSetting()).value();
  std::map<std::string, int> steps;
  for (const v1::TestStep& step : plan.steps()) {
    ++steps[step.family()];
    EXPECT_EQ(step.groups_size(), 4);
    EXPECT_EQ(step.bytes() % 8, 0);
  }
  EXPECT_EQ(steps, (std::map<std::string, int>{{"tp", 3}, {"dp", 2}, {"pp", 1}}));
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
    EXPECT_EQ(seen.size(), 64u);
  }
}

TEST(Plan, WithoutAMesh_TestsTheWorld) {
  const v1::TestPlan plan = MakePlan(FakeSettingWithoutMesh(6, 2)).value();
  ASSERT_EQ(plan.steps_size(), 2);
  EXPECT_EQ(plan.steps(0).family(), "world");
  EXPECT_EQ(plan.steps(0).bytes() % 24, 0);
  EXPECT_LE(plan.steps(0).bytes(), 1 << 20);
  EXPECT_EQ(MembersOf(plan.steps(0).groups(0).ranks()).value().size(), 6u);
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

TEST(OrderOf, Nodes_GetTheirOwnWorkersAndGroupsOnly) {
  const Setting setting = DemoSetting();
  const v1::TestPlan plan = MakePlan(setting).value();
  std::map<std::pair<int, int64_t>, int> tested;
  for (int node = 0; node < 4; ++node) {
    const v1::RunTest order = OrderOf(setting, plan, NodeUid{"uid-" + std::to_string(node)});
    ASSERT_EQ(order.workers_size(), 2);
    EXPECT_EQ(order.workers(0).global_rank(), 2 * node);
    EXPECT_EQ(order.workers(1).local_rank(), 1);
    EXPECT_EQ(order.world(), 8);
    for (const v1::TestStep& step : order.plan().steps()) {
      for (const v1::TestGroup& group : step.groups()) {
        const auto ranks = MembersOf(group.ranks()).value();
        for (int64_t rank : ranks) tested[{step.index(), group.index()}] += rank / 2 == node;
        EXPECT_TRUE(std::any_of(ranks.begin(), ranks.end(), [&](int64_t r) { return r / 2 == node; }));
      }
    }
  }
  // Together the nodes' orders have every member of every group.
  EXPECT_EQ(tested.size(), 24u);
  for (const auto& [group, members] : tested) EXPECT_EQ(members, 2);
}

TEST(OrderOf, NodeOfTwoMembers_GetsTheWorkersOfBoth) {
  Setting setting = DemoSetting();
  auto placement = FakePlacement(4);
  placement->mutable_ranks(1)->set_node_uid("uid-0");
  setting.placement = placement;
  EXPECT_EQ(OrderOf(setting, MakePlan(setting).value(), NodeUid{"uid-0"}).workers_size(), 4);
}

TEST(OrderOf, StrangeNode_GetsNothing) {
  const Setting setting = DemoSetting();
  const v1::RunTest order = OrderOf(setting, MakePlan(setting).value(), NodeUid{"uid-9"});
  EXPECT_EQ(order.workers_size(), 0);
  for (const v1::TestStep& step : order.plan().steps()) EXPECT_TRUE(step.groups().empty());
}

}  // namespace
}  // namespace muster::selftest
