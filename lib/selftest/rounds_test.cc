#include "lib/selftest/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/selftest/fake_fabric.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/plan.h"

namespace muster::selftest {
namespace {

using Outcome = Conclusion::Outcome;

struct Ran {
  std::vector<Round> rounds;
  Conclusion conclusion;
};

// Runs rounds until there is a conclusion.
Ran RunAll(const Setting& setting, const std::vector<FakeFabric>& fabrics) {
  Ran ran;
  v1::TestPlan plan = MakePlan(setting).value();
  for (size_t i = 0; i < kMaxTestRounds; ++i) {
    const FakeFabric& fabric = fabrics[std::min(i, fabrics.size() - 1)];
    ran.rounds.push_back({plan, fabric.Run(setting, plan)});
    auto next = NextRound(setting, ran.rounds);
    if (auto* conclusion = std::get_if<Conclusion>(&next)) {
      ran.conclusion = *conclusion;
      return ran;
    }
    plan = std::get<v1::TestPlan>(next);
  }
  ADD_FAILURE() << "no conclusion after the last round";
  return ran;
}

Ran RunAll(const Setting& setting, const FakeFabric& fabric) { return RunAll(setting, std::vector{fabric}); }

TEST(Rounds, HealthyPlacement_PassesInOneRound) {
  const Ran ran = RunAll(DemoSetting(), FakeFabric{});
  EXPECT_EQ(ran.rounds.size(), 1u);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kPassed);
  EXPECT_EQ(ran.conclusion.verdict, v1::PASS);
  EXPECT_EQ(ran.conclusion.summary, "all 38 groups pass, data exact");
  EXPECT_EQ(ran.conclusion.families.size(), 8u);
  EXPECT_EQ(ran.conclusion.groups.size(), 38u);
}

TEST(Rounds, SlowNode_IsConfirmedAloneAndAccused) {
  for (int32_t node = 0; node < 4; ++node) {
    FakeFabric fabric;
    fabric.links[node].slow = 3;
    const Ran ran = RunAll(DemoSetting(), fabric);
    EXPECT_EQ(ran.rounds.size(), 3u);
    EXPECT_EQ(ran.conclusion.outcome, Outcome::kAccused) << ran.conclusion.summary;
    EXPECT_EQ(ran.conclusion.accused, std::set<NodeUid>{NodeUid{"uid-" + std::to_string(node)}});
    EXPECT_FALSE(ran.conclusion.probes.empty());
    ASSERT_EQ(ran.conclusion.accusations.size(), 1u);
    EXPECT_EQ(ran.conclusion.accusations[0].node(), "n" + std::to_string(node));
    EXPECT_EQ(ran.conclusion.accusations[0].confidence(), v1::Accusation::HIGH);
    EXPECT_GE(ran.conclusion.accusations[0].evidence_size(), 2);
  }
}

TEST(Rounds, CorruptingNode_IsAccusedByItsReceivers) {
  for (int32_t node = 0; node < 4; ++node) {
    FakeFabric fabric;
    fabric.links[node].corrupt = 0.001;
    const Ran ran = RunAll(DemoSetting(), fabric);
    EXPECT_EQ(ran.conclusion.outcome, Outcome::kAccused) << ran.conclusion.summary;
    EXPECT_EQ(ran.conclusion.accused, std::set<NodeUid>{NodeUid{"uid-" + std::to_string(node)}});
  }
}

TEST(Rounds, ConfirmingRound_RunsEachSuspectAloneOnItsNodes) {
  FakeFabric fabric;
  fabric.links[0].slow = 3;
  const Ran ran = RunAll(DemoSetting(), fabric);
  const v1::TestPlan& plan = ran.rounds[1].plan;
  EXPECT_EQ(plan.round(), 2);
  for (int i = 0; i < plan.steps_size(); ++i) {
    EXPECT_EQ(plan.steps(i).index(), i);
    EXPECT_NE(plan.steps(i).family(), "tp");
    if (plan.steps(i).family() == kPairFamily) continue;  // a group a rail
    std::set<int64_t> nodes;
    for (const v1::TestGroup& group : plan.steps(i).groups()) {
      std::set<int64_t> mine;
      const std::vector<int64_t> ranks = MembersOf(group.ranks()).value();
      for (int64_t rank : ranks) mine.insert(rank / 2);
      for (int64_t node : mine) EXPECT_TRUE(nodes.insert(node).second);
    }
  }
}

// A warning has to be worth reading: noise is none.
TEST(Rounds, SlowOnceOnly_Passes) {
  FakeFabric slow;
  slow.accelerators[0] = 3;  // all groups of one worker
  const Ran ran = RunAll(DemoSetting(), {slow, FakeFabric{}});
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kPassed);
  EXPECT_EQ(ran.conclusion.verdict, v1::PASS);
  EXPECT_NE(ran.conclusion.summary.find("only when tried again alone"), std::string::npos) << ran.conclusion.summary;
}

// One group that is slow with nobody at fault.
Ran SlowGroup(const Setting& setting, size_t slow_rounds) {
  Ran ran;
  v1::TestPlan plan = MakePlan(setting).value();
  while (true) {
    Round round{plan, FakeFabric{}.Run(setting, plan)};
    for (v1::StepResult& r : round.results) {
      if (ran.rounds.size() >= slow_rounds || plan.steps(r.step()).family() != "dp" || r.group_index() != 0) continue;
      for (double& us : *r.mutable_iteration_us()) us *= 3;
    }
    ran.rounds.push_back(std::move(round));
    auto next = NextRound(setting, ran.rounds);
    if (auto* conclusion = std::get_if<Conclusion>(&next)) return ran.conclusion = *conclusion, ran;
    plan = std::get<v1::TestPlan>(next);
  }
}

TEST(Rounds, SlowAgain_TakesAThirdTime) {
  EXPECT_EQ(SlowGroup(DemoSetting(), 1).conclusion.verdict, v1::PASS);
  EXPECT_EQ(SlowGroup(DemoSetting(), 2).conclusion.verdict, v1::WARN);
  const Ran ran = SlowGroup(DemoSetting(), 9);
  EXPECT_EQ(ran.rounds.size(), 3u);
  EXPECT_EQ(ran.conclusion.verdict, v1::FAIL);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kInconclusive);
}

TEST(Rounds, JustAboveTheLimitTwice_IsAWarning) {
  FakeFabric nearly;
  nearly.accelerators[0] = 1 / 0.89;
  EXPECT_EQ(RunAll(DemoSetting(), nearly).conclusion.verdict, v1::WARN);
  EXPECT_EQ(RunAll(DemoSetting(), {nearly, FakeFabric{}}).conclusion.verdict, v1::PASS);
}

TEST(Rounds, WrongDataOnce_IsNotTakenBackByACleanRepeat) {
  FakeFabric corrupt;
  corrupt.links[2].corrupt = 0.5;
  const Ran ran = RunAll(DemoSetting(), {corrupt, FakeFabric{}});
  EXPECT_EQ(ran.conclusion.verdict, v1::FAIL);
  EXPECT_EQ(ran.conclusion.accused, std::set<NodeUid>{NodeUid{"uid-2"}});
}

TEST(Rounds, ErrorsEverywhere_AccuseNobody) {
  FakeFabric fabric;
  for (int64_t rank = 0; rank < 8; ++rank) fabric.errors[rank] = "gloo: Connection refused";
  const Ran ran = RunAll(DemoSetting(), fabric);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(ran.conclusion.accused.empty());
  EXPECT_EQ(ran.conclusion.verdict, v1::FAIL);
  ASSERT_FALSE(ran.conclusion.accusations.empty());
  EXPECT_NE(ran.conclusion.accusations[0].hint().find("firewalls"), std::string::npos);
}

TEST(Rounds, SilentNode_IsInconclusiveAndNeverAPass) {
  FakeFabric fabric;
  fabric.silent = {4, 5};
  const Ran ran = RunAll(DemoSetting(), fabric);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kInconclusive);
  EXPECT_EQ(ran.conclusion.verdict, v1::INCONCLUSIVE);
  EXPECT_NE(ran.conclusion.summary.find("gave no result"), std::string::npos) << ran.conclusion.summary;
}

TEST(Rounds, NothingReported_IsInconclusive) {
  const Setting setting = DemoSetting();
  const v1::TestPlan plan = MakePlan(setting).value();
  const auto next = NextRound(setting, std::vector<Round>{{plan, {}}});
  ASSERT_TRUE(std::holds_alternative<v1::TestPlan>(next));
  const auto end = NextRound(setting, std::vector<Round>{{plan, {}}, {std::get<v1::TestPlan>(next), {}}});
  EXPECT_EQ(std::get<Conclusion>(end).outcome, Outcome::kInconclusive);
}

TEST(Rounds, ConfigurationError_EndsTheTestAtOnce) {
  FakeFabric fabric;
  fabric.errors[3] = std::string(kConfigError) + "no interface has 10.0.0.9";
  const Ran ran = RunAll(DemoSetting(), fabric);
  EXPECT_EQ(ran.rounds.size(), 1u);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kConfig);
  EXPECT_TRUE(ran.conclusion.accused.empty());
  EXPECT_EQ(ran.conclusion.accusations[0].kind(), v1::Accusation::CONFIG);
}

TEST(Rounds, TwoNodesOnly_AccuseNobodyOnOnePartnersWord) {
  mesh::MegatronSpec spec;
  spec.tp = 2;
  FakeFabric fabric;
  fabric.links[0].corrupt = 1;
  const Ran ran = RunAll(FakeSetting(spec, 4, 2), fabric);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kInconclusive);
  EXPECT_EQ(ran.conclusion.verdict, v1::FAIL);
  EXPECT_TRUE(ran.conclusion.accused.empty());
}

TEST(Rounds, NoGroups_AreSkippedAndPass) {
  const Ran ran = RunAll(FakeSettingWithoutMesh(1, 1), FakeFabric{});
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kPassed);
  EXPECT_EQ(ran.conclusion.verdict, v1::SKIPPED);
}

TEST(Rounds, CarriedPasses_ArePartOfTheOutcome) {
  Setting setting = DemoSetting();
  for (const v1::GroupResult& group : RunAll(setting, FakeFabric{}).conclusion.groups) {
    if (group.family() != "tp") continue;
    setting.carried.push_back(group);
    setting.carried.back().set_carried_from("rcp-1");
  }
  const Ran ran = RunAll(setting, FakeFabric{});
  EXPECT_EQ(ran.rounds[0].plan.steps_size(), 7);
  EXPECT_EQ(ran.conclusion.groups.size(), 38u);
  EXPECT_EQ(ran.conclusion.outcome, Outcome::kPassed);
}

TEST(Rounds, OrderOfResults_ChangesNothing) {
  FakeFabric fabric;
  fabric.links[1].slow = 4;
  const Setting setting = DemoSetting();
  Ran ran = RunAll(setting, fabric);
  for (Round& round : ran.rounds) std::reverse(round.results.begin(), round.results.end());
  const auto again = std::get<Conclusion>(NextRound(setting, ran.rounds));
  EXPECT_EQ(again.summary, ran.conclusion.summary);
  for (size_t i = 0; i < again.groups.size(); ++i) {
    EXPECT_EQ(again.groups[i].SerializeAsString(), ran.conclusion.groups[i].SerializeAsString());
  }
}

TEST(Rounds, EverythingSlow_FitsIntoABoundedPlan) {
  mesh::MegatronSpec spec;
  spec.tp = 8;
  Setting setting = FakeSetting(spec, 1024, 8);
  (*setting.spec.mutable_floor_gbps())["dp"] = 1e6;
  const v1::TestPlan plan = MakePlan(setting).value();
  const auto next = NextRound(setting, std::vector<Round>{{plan, FakeFabric{}.Run(setting, plan)}});
  EXPECT_LE(std::get<v1::TestPlan>(next).steps_size(), 64);
  EXPECT_GT(std::get<v1::TestPlan>(next).steps_size(), 0);
}

}  // namespace
}  // namespace muster::selftest
