#include "lib/selftest/localise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>

#include "lib/selftest/fake_fabric.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/plan.h"
#include "lib/selftest/rounds.h"

namespace muster::selftest {
namespace {

using Accusation = v1::Accusation;

NodeUid Uid(int i) { return NodeUid{"uid-" + std::to_string(i)}; }

struct Ran {
  Conclusion conclusion;
  size_t rounds = 0;
};

Ran RunAll(const Setting& setting, const FakeFabric& fabric) {
  const v1::TestPlan plan = MakePlan(setting).value();
  std::vector<Round> rounds = {{plan, fabric.Run(setting, plan)}};
  while (true) {
    auto next = NextRound(setting, rounds);
    if (auto* conclusion = std::get_if<Conclusion>(&next)) return {std::move(*conclusion), rounds.size()};
    const auto& again = std::get<v1::TestPlan>(next);
    rounds.push_back({again, fabric.Run(setting, again)});
  }
}

// TP4 × DP16 on sixteen nodes of four workers, two nodes a rack: tp is a node, and every dp group spans all nodes, so
// that no axis can tell one from another.
Setting Sixteen() {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  Setting setting = FakeSetting(spec, 64, 4);
  auto placement = FakePlacement(16);
  placement->add_tiers("rack");
  for (int r = 0; r < 16; ++r) placement->mutable_ranks(r)->add_topology_path("r" + std::to_string(r / 4));
  setting.placement = placement;
  return setting;
}

struct Fault {
  const char* name;
  std::function<void(FakeFabric&)> inject;
  Accusation::Kind kind;
  std::string node, part;
  std::set<NodeUid> accused;
};

class LocaliseFault : public testing::TestWithParam<Fault> {};

TEST_P(LocaliseFault, Culprit_IsNamedWithEvidence) {
  const Fault& fault = GetParam();
  FakeFabric fabric;
  fault.inject(fabric);
  const Ran ran = RunAll(Sixteen(), fabric);
  const Conclusion& c = ran.conclusion;
  ASSERT_FALSE(c.accusations.empty()) << c.summary;
  const Accusation& a = c.accusations[0];
  std::printf("%-16s %zu rounds  %-14s %s %s\n", fault.name, ran.rounds, Accusation::Kind_Name(a.kind()).c_str(),
              a.node().c_str(), a.part().c_str());
  for (const std::string& line : a.evidence()) std::printf("    %s\n", line.c_str());
  EXPECT_EQ(Accusation::Kind_Name(a.kind()), Accusation::Kind_Name(fault.kind)) << c.summary;
  EXPECT_EQ(a.node(), fault.node);
  EXPECT_EQ(a.part(), fault.part);
  EXPECT_EQ(c.accused, fault.accused);
  EXPECT_GT(a.evidence_size(), 0);
  EXPECT_EQ(c.verdict, v1::FAIL);
  EXPECT_EQ(c.outcome, fault.accused.empty() ? Conclusion::Outcome::kInconclusive : Conclusion::Outcome::kAccused);
  EXPECT_LE(ran.rounds, 4u);
}

INSTANTIATE_TEST_SUITE_P(
    All, LocaliseFault,
    testing::Values(
        Fault{"SlowNode", [](FakeFabric& f) { f.links[5].slow = 1.5; }, Accusation::NODE, "n5", "", {Uid(5)}},
        Fault{"SlowNic", [](FakeFabric& f) { f.nics[4 * 3 + 2] = 2; }, Accusation::NIC, "n3", "rail 2", {Uid(3)}},
        Fault{"SlowAccelerator",
              [](FakeFabric& f) { f.accelerators[4 * 3 + 2] = 2; },
              Accusation::ACCELERATOR,
              "n3",
              "2",
              {Uid(3)}},
        Fault{"SlowRail", [](FakeFabric& f) { f.rails[1] = 2; }, Accusation::RAIL, "", "rail 1", {}},
        Fault{"SlowUplink",
              [](FakeFabric& f) { f.uplinks["r1"] = 2; },
              Accusation::SWITCH_DOMAIN,
              "",
              "r1",
              {Uid(4), Uid(5), Uid(6), Uid(7)}},
        Fault{"SlowRoute",
              [](FakeFabric& f) {
                f.routes[{0, 15}] = 3;
              },
              Accusation::LINK,
              "n0",
              "n15",
              {Uid(15)}},
        Fault{"DeadRoute",
              [](FakeFabric& f) {
                f.routes[{0, 15}] = HUGE_VAL;
              },
              Accusation::LINK,
              "n0",
              "n15",
              {Uid(15)}},
        Fault{"CutOff", [](FakeFabric& f) { f.cut_off = {9}; }, Accusation::NODE, "n9", "", {Uid(9)}},
        Fault{"Corrupting", [](FakeFabric& f) { f.links[2].corrupt = 0.01; }, Accusation::NODE, "n2", "", {Uid(2)}},
        Fault{"Crashing",
              [](FakeFabric& f) {
                for (int64_t rank : {24, 25, 26, 27}) f.errors[rank] = "the test's process was ended by signal 11";
              },
              Accusation::NODE,
              "n6",
              "",
              {Uid(6)}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Localise, SeveralCulprits_AreAllNamed) {
  FakeFabric fabric;
  fabric.links[1].slow = 1.5;
  fabric.links[14].slow = 2;  // they meet in the first matching
  fabric.nics[4 * 7] = 2;
  EXPECT_EQ(RunAll(Sixteen(), fabric).conclusion.accused, (std::set<NodeUid>{Uid(1), Uid(14), Uid(7)}));
}

TEST(Localise, SlowTogetherAndGoodInPairs_IsTheInfrastructure) {
  mesh::MegatronSpec spec;
  spec.tp = 2;
  spec.pp = 4;
  const Setting setting = FakeSetting(spec, 64, 4);
  FakeFabric fabric;
  std::vector<Round> rounds = {{MakePlan(setting).value(), {}}};
  // One dp group is slow in every round, whatever its members do in pairs.
  const auto run = [&](Round& round) {
    round.results = fabric.Run(setting, round.plan);
    for (v1::StepResult& r : round.results) {
      if (round.plan.steps(r.step()).family() != "dp" || r.group_index() != 0) continue;
      for (double& us : *r.mutable_iteration_us()) us *= 3;
    }
  };
  run(rounds[0]);
  auto next = NextRound(setting, rounds);
  while (auto* plan = std::get_if<v1::TestPlan>(&next)) {
    rounds.push_back({*plan, {}});
    run(rounds.back());
    next = NextRound(setting, rounds);
  }
  const auto& c = std::get<Conclusion>(next);
  EXPECT_EQ(c.outcome, Conclusion::Outcome::kInconclusive);
  EXPECT_TRUE(c.accused.empty());
  ASSERT_EQ(c.accusations.size(), 1u);
  EXPECT_EQ(c.accusations[0].kind(), Accusation::INFRASTRUCTURE);
  EXPECT_NE(c.summary.find("good in pairs"), std::string::npos) << c.summary;
}

TEST(Localise, WithoutAMesh_ASlowNodeIsFound) {
  for (int nodes : {3, 4, 5, 8}) {
    Setting setting = FakeSettingWithoutMesh(nodes * 2, 2);
    FakeFabric fabric;
    fabric.links[1].slow = 2;
    const Conclusion c = RunAll(setting, fabric).conclusion;
    EXPECT_EQ(c.accused, std::set<NodeUid>{Uid(1)}) << nodes << " nodes: " << c.summary;
  }
}

TEST(Localise, OneWorkerANode_IsEnough) {
  for (int nodes : {3, 4, 6}) {
    FakeFabric fabric;
    fabric.links[0].slow = 2;
    EXPECT_EQ(RunAll(FakeSettingWithoutMesh(nodes, 1), fabric).conclusion.accused, std::set<NodeUid>{Uid(0)}) << nodes;
  }
}

TEST(Localise, TwoNodes_SayThatNothingCanBeCompared) {
  FakeFabric fabric;
  fabric.links[0].slow = 2;
  const Conclusion c = RunAll(FakeSettingWithoutMesh(2, 1), fabric).conclusion;
  EXPECT_EQ(c.outcome, Conclusion::Outcome::kPassed);
  EXPECT_NE(c.summary.find("nothing to compare"), std::string::npos) << c.summary;
}

// Healthy machines with the congestion of shared fabrics: 3 % of the tests are hit, at 0.5..0.8 of their speed.
TEST(MonteCarlo, HealthyNoise_AccusesAlmostNobodyAndSlowNodesAreFound) {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  spec.cp = 2;
  spec.pp = 2;
  const Setting setting = FakeSetting(spec, 64, 8);
  constexpr int kRuns = 10;
  int innocent = 0, found = 0;
  for (int run = 0; run < kRuns; ++run) {
    for (const bool faulty : {false, true}) {
      FakeFabric fabric;
      fabric.congestion = 0.03;
      fabric.seed = static_cast<uint64_t>(run) + 1;
      if (faulty) fabric.links[run % 8].slow = 1 / 0.7;
      const Conclusion conclusion = RunAll(setting, fabric).conclusion;
      const std::set<NodeUid>& accused = conclusion.accused;
      for (const Accusation& a : conclusion.accusations) {
        if (!faulty && !accused.empty()) std::printf("seed %d: %s\n", run + 1, a.DebugString().c_str());
      }
      if (faulty) {
        found += accused == std::set<NodeUid>{Uid(run % 8)};
      } else {
        innocent += accused.empty();
      }
    }
  }
  std::printf("seeds 1..%d: healthy without accusation %d, slow node found exactly %d\n", kRuns, innocent, found);
  EXPECT_EQ(innocent, kRuns);
  EXPECT_EQ(found, kRuns);
}

}  // namespace
}  // namespace muster::selftest
