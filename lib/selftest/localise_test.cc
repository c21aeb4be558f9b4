#include "lib/selftest/localise.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "lib/selftest/fake_fabric.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/plan.h"
#include "lib/selftest/rounds.h"

namespace muster::selftest {
namespace {

enum class Why { kSlow, kError, kMissing };

struct Failing {
  std::vector<int32_t> nodes;
  Why why = Why::kSlow;
  std::set<CorruptEdge> corrupt = {};
};

struct Case {
  const char* name;
  std::vector<Failing> failing;
  std::set<NodeUid> accused;
};

NodeUid Uid(int i) { return NodeUid{"uid-" + std::to_string(i)}; }

class LocaliseCase : public testing::TestWithParam<Case> {};

TEST_P(LocaliseCase, Accused_AreExactlyThese) {
  const Setting setting = FakeSettingWithoutMesh(8, 1);
  Judged judged;
  int64_t index = 0;
  for (const Failing& f : GetParam().failing) {
    JudgedGroup group;
    group.result.set_family("dp");
    group.result.set_group_index(index);
    for (int32_t node : f.nodes) group.result.add_node_ranks(node);
    group.result.set_verdict(f.why == Why::kMissing ? v1::INCONCLUSIVE : v1::FAIL);
    group.wrong_data = !f.corrupt.empty();
    group.slow = f.why == Why::kSlow && !group.wrong_data;
    group.errored = f.why == Why::kError;
    group.corrupt = f.corrupt;
    judged[{SiblingKey{"dp", v1::ALL_GATHER, 8}, index++}] = group;
  }
  const Localised localised = Localise(setting, judged);
  EXPECT_EQ(localised.accused, GetParam().accused);
  EXPECT_EQ(localised.accusations.empty(), GetParam().failing.empty());
  for (const v1::Accusation& a : localised.accusations) EXPECT_GT(a.evidence_size(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, LocaliseCase,
    testing::Values(
        Case{"Nothing", {}, {}}, Case{"TwoPartners", {{{0, 1}}, {{0, 2}}}, {Uid(0)}},
        Case{"OnePartnerTwice", {{{0, 1}}, {{0, 1}}}, {}}, Case{"OneGroup", {{{0, 1, 2, 3}}}, {}},
        Case{"OneGroupInsideANode", {{{3}}}, {}}, Case{"TwoGroupsInsideANode", {{{3}}, {{3}}}, {Uid(3)}},
        Case{"InsideAndAcross", {{{3}}, {{3, 4}}}, {Uid(3)}},
        Case{"WideGroupsThatShareOne", {{{0, 1, 2}}, {{2, 3, 4}}, {{2, 5}}}, {Uid(2)}},
        Case{"OneStrayAmongMany", {{{0, 1}}, {{0, 1}}, {{0, 2}}, {{0, 2}}, {{5, 6}}}, {}},
        Case{"OneStrayAmongMore", {{{0, 1}}, {{0, 1}}, {{0, 2}}, {{0, 2}}, {{0, 3}}, {{5, 6}}}, {Uid(0)}},
        Case{"OnePartnerAndAStray", {{{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 1}}, {{1, 2}}}, {}},
        Case{"TwoCulprits", {{{0, 1}}, {{0, 2}}, {{4, 5}}, {{4, 6}}}, {}},
        Case{"ErrorsOnly", {{{0, 1}, Why::kError}, {{0, 2}, Why::kError}}, {}},
        Case{"MissingOnly", {{{0, 1}, Why::kMissing}, {{0, 2}, Why::kMissing}}, {}},
        Case{"ErrorsDoNotBlurASlowNode", {{{0, 1}}, {{0, 2}}, {{5, 6}, Why::kError}}, {Uid(0)}},
        Case{"SenderByTwoReceivers", {{{0, 1, 2}, Why::kSlow, {{0, 1}, {0, 2}}}}, {Uid(0)}},
        Case{"ReceiverByTwoSenders", {{{0, 1, 2}, Why::kSlow, {{0, 1}, {2, 1}}}}, {Uid(1)}},
        Case{"OneEdgeAccusesNobody", {{{0, 1, 2}, Why::kSlow, {{0, 1}}}, {{0, 1, 3}, Why::kSlow, {{0, 1}}}}, {}},
        Case{"WrongDataInsideANode", {{{2}, Why::kSlow, {{2, 2}}}}, {Uid(2)}},
        Case{
            "SlowAndCorruptDiffer", {{{0, 1}}, {{0, 2}}, {{4, 5, 6}, Why::kSlow, {{4, 5}, {4, 6}}}}, {Uid(0), Uid(4)}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Localise, NodesSharedByMembers_CountAsOne) {
  Setting setting = FakeSettingWithoutMesh(4, 1);
  auto placement = FakePlacement(4);
  placement->mutable_ranks(2)->set_node_uid("uid-1");  // ranks 1 and 2 on one node: one partner
  setting.placement = placement;
  Judged judged;
  for (int32_t partner : {1, 2}) {
    JudgedGroup group;
    group.result.set_verdict(v1::FAIL);
    group.slow = true;
    group.result.add_node_ranks(0);
    group.result.add_node_ranks(partner);
    judged[{SiblingKey{"dp", v1::ALL_GATHER, 8}, partner}] = group;
  }
  EXPECT_TRUE(Localise(setting, judged).accused.empty());
}

// Healthy machines with the congestion of shared fabrics: 3 % of the tests are hit, at 0.5..0.8 of their speed.
TEST(MonteCarlo, HealthyNoise_AccusesAlmostNobodyAndSlowNodesAreFound) {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  spec.cp = 2;
  spec.pp = 2;
  const Setting setting = FakeSetting(spec, 64, 8);
  const v1::TestPlan plan = MakePlan(setting).value();
  constexpr int kRuns = 50;
  int innocent = 0, found = 0;
  for (int run = 0; run < kRuns; ++run) {
    for (const bool faulty : {false, true}) {
      FakeFabric fabric;
      fabric.congestion = 0.03;
      fabric.seed = static_cast<uint64_t>(run) + 1;
      if (faulty) fabric.links[run % 8].slow = 1 / 0.7;
      std::vector<Round> rounds = {{plan, fabric.Run(setting, plan)}};
      auto next = NextRound(setting, rounds);
      if (const auto* again = std::get_if<v1::TestPlan>(&next)) {
        rounds.push_back({*again, fabric.Run(setting, *again)});
        next = NextRound(setting, rounds);
      }
      const std::set<NodeUid>& accused = std::get<Conclusion>(next).accused;
      if (faulty) {
        found += accused == std::set<NodeUid>{Uid(run % 8)};
      } else {
        innocent += accused.empty();
      }
    }
  }
  std::printf("seeds 1..%d: healthy without accusation %d, slow node found exactly %d\n", kRuns, innocent, found);
  EXPECT_GE(innocent, kRuns * 99 / 100);
  EXPECT_GE(found, kRuns * 9 / 10);
}

}  // namespace
}  // namespace muster::selftest
