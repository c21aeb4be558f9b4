#include "lib/selftest/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lib/selftest/fake_setting.h"
#include "lib/selftest/family_table.h"

namespace muster::selftest {
namespace {

// `groups` groups of two ranks on nodes of one worker: group g = ranks 2g, 2g+1.
struct Bench {
  explicit Bench(int groups, v1::Collective collective = v1::ALL_GATHER) {
    setting.world = 2 * groups;
    setting.spec.set_backend("nccl");
    v1::TestStep* step = round.plan.add_steps();
    step->set_family("dp");
    step->set_collective(collective);
    step->set_bytes(8000);
    step->set_iterations(3);
    for (int g = 0; g < groups; ++g) {
      v1::TestGroup* group = step->add_groups();
      group->set_index(g);
      group->mutable_ranks()->set_base(2 * g);
      group->mutable_ranks()->add_strides(1);
      group->mutable_ranks()->add_sizes(2);
      for (int r = 0; r < 2; ++r) {
        v1::StepResult& result = round.results.emplace_back();
        result.set_global_rank(2 * g + r);
        result.set_group_index(g);
        for (int i = 0; i < 3; ++i) result.add_iteration_us(100);
      }
    }
    round.plan.set_round(1);
  }

  v1::StepResult& Of(int rank) {
    return *std::find_if(round.results.begin(), round.results.end(), [&](auto& r) { return r.global_rank() == rank; });
  }
  void SetTime(int rank, double us) {
    for (double& t : *Of(rank).mutable_iteration_us()) t = us;
  }
  void Drop(int rank) {
    round.results.erase(
        std::find_if(round.results.begin(), round.results.end(), [&](auto& r) { return r.global_rank() == rank; }));
  }
  v1::GroupResult Group(int64_t index) {
    for (const auto& [key, group] : Run()) {
      if (key.second == index) return group.result;
    }
    return {};
  }

  Judged Run(const Yardsticks* reference = nullptr) { return Judge(setting, Parties(setting), round, reference); }

  Setting setting;
  Round round;
};

TEST(Verdict, HealthyGroup_PassesWithItsNumbers) {
  const v1::GroupResult r = Bench(4).Group(1);
  EXPECT_EQ(r.verdict(), v1::PASS);
  EXPECT_DOUBLE_EQ(r.time_us(), 100);
  EXPECT_DOUBLE_EQ(r.algbw_gbps(), 0.08);
  EXPECT_DOUBLE_EQ(r.busbw_gbps(), 0.04);
  EXPECT_EQ(r.why(), "busbw 0.04 GB/s is 1.00 of the median of 3 siblings, 0.04 (limit 0.85)");
  EXPECT_EQ(r.node_ranks_size(), 2);
  EXPECT_EQ(r.round(), 1);
}

TEST(Verdict, Time_IsTheMedianOverIterationsOfTheSlowestRank) {
  Bench bench(1);
  bench.Of(0).set_iteration_us(0, 5000);  // one hiccup
  bench.Of(1).set_iteration_us(1, 130);
  bench.Of(1).set_iteration_us(2, 120);
  EXPECT_DOUBLE_EQ(bench.Group(0).time_us(), 130);
}

TEST(Verdict, SlowGroup_FailsAgainstTheMedianOfTheOthers) {
  Bench bench(4);
  bench.SetTime(3, 200);
  EXPECT_EQ(bench.Group(1).verdict(), v1::FAIL);
  EXPECT_NE(bench.Group(1).why().find("0.50 of the median of 3 siblings"), std::string::npos) << bench.Group(1).why();
  EXPECT_EQ(bench.Group(0).verdict(), v1::PASS);
}

TEST(Verdict, HalfOfAFamilySlow_StillStandsOut) {
  for (int groups : {2, 4, 6, 8}) {
    Bench bench(groups);
    for (int g = 0; g < groups / 2; ++g) bench.SetTime(2 * g, 200);
    for (int g = 0; g < groups; ++g) {
      EXPECT_EQ(bench.Group(g).verdict(), g < groups / 2 ? v1::FAIL : v1::PASS) << groups << " groups, group " << g;
    }
  }
}

TEST(Verdict, JustAboveTheLimit_IsLookedAtAgainAndNoWarningYet) {
  Bench bench(4);
  bench.SetTime(2, 100 / 0.88);
  const Judged judged = bench.Run();
  for (const auto& [key, group] : judged) {
    EXPECT_EQ(group.result.verdict(), v1::PASS);
    EXPECT_EQ(IsSuspect(group), key.second == 1) << group.result.why();
  }
}

TEST(Verdict, FewerIterationsThanAsked_CountIfAllMembersAgree) {
  Bench bench(2);
  bench.round.plan.mutable_steps(0)->set_iterations(50);
  for (v1::StepResult& r : bench.round.results) {
    while (r.iteration_us_size() < 6) r.add_iteration_us(100);
  }
  EXPECT_EQ(bench.Group(0).verdict(), v1::PASS);
  EXPECT_EQ(bench.Group(0).iterations(), 6);
  bench.Of(1).add_iteration_us(100);
  EXPECT_EQ(bench.Group(0).verdict(), v1::INCONCLUSIVE);
}

TEST(Verdict, LoneGroup_IsComparedWithThePlacementsLastPass) {
  Bench bench(1);
  v1::FamilyResult past;
  past.set_family("dp");
  past.set_collective(v1::ALL_GATHER);
  past.set_bytes(8000);
  past.set_median_gbps(0.041);
  bench.setting.history = {past};
  bench.setting.history_from = "rcp-1";
  EXPECT_EQ(bench.Group(0).verdict(), v1::PASS);
  EXPECT_NE(bench.Group(0).why().find("this placement's median in rcp-1"), std::string::npos) << bench.Group(0).why();
  bench.SetTime(0, 200);
  EXPECT_EQ(bench.Group(0).verdict(), v1::FAIL) << bench.Group(0).why();
}

// Groups that cross racks are slower by nature: no measure for those inside one, and the other way round.
TEST(Verdict, Siblings_AreThoseThatCrossAsMuch) {
  Bench bench(4);
  bench.setting.workers_per_member = 1;
  auto placement = FakePlacement(8);
  placement->add_tiers("rack");
  const char* racks[] = {"r1", "r1", "r2", "r2", "r1", "r2", "r1", "r2"};
  for (int r = 0; r < 8; ++r) placement->mutable_ranks(r)->add_topology_path(racks[r]);
  bench.setting.placement = placement;
  for (int rank : {4, 5, 6, 7}) bench.SetTime(rank, 300);
  for (int g = 0; g < 4; ++g) {
    EXPECT_EQ(bench.Group(g).verdict(), v1::PASS) << bench.Group(g).why();
    EXPECT_EQ(bench.Group(g).fabric(), g < 2 ? "rack" : "cluster");
  }
  // The only one inside a rack, and no faster than those across: slow.
  bench.setting.placement = placement;
  placement->mutable_ranks(2)->set_topology_path(0, "r1");
  bench.SetTime(0, 1000);
  EXPECT_EQ(bench.Group(0).verdict(), v1::FAIL) << bench.Group(0).why();
}

TEST(Verdict, ErrorOfAGroup_IsItsFirstOwnOneWithTheHint) {
  Bench bench(1);
  bench.Of(0).set_error("gloo: Connection closed by peer [10.0.0.7]:4711");
  bench.Of(1).set_error("failed to extend /dev/shm/nccl-1");
  EXPECT_EQ(bench.Group(0).error(), "rank 1: failed to extend /dev/shm/nccl-1 (and 1 more ranks)");
  EXPECT_NE(bench.Group(0).hint().find("medium: Memory"), std::string::npos);
}

TEST(Verdict, Floor_FailsTheGroupBelowIt) {
  Bench bench(1);
  (*bench.setting.spec.mutable_floor_gbps())["dp"] = 0.05;
  EXPECT_EQ(bench.Group(0).verdict(), v1::FAIL);
  EXPECT_EQ(bench.Group(0).why(), "busbw 0.04 GB/s is below the floor of 0.05");
  (*bench.setting.spec.mutable_floor_gbps())["dp"] = 0.03;
  EXPECT_EQ(bench.Group(0).verdict(), v1::PASS);
}

// What is no clean measurement, and what becomes of it.
struct Spoilt {
  const char* name;
  std::function<void(Bench&)> spoil;
  v1::TestVerdict verdict;
};

class SpoiltResult : public testing::TestWithParam<Spoilt> {};

TEST_P(SpoiltResult, Group_IsNeverAPass) {
  Bench bench(3);
  GetParam().spoil(bench);
  EXPECT_EQ(bench.Group(0).verdict(), GetParam().verdict) << bench.Group(0).why();
  EXPECT_FALSE(bench.Group(0).why().empty());
  EXPECT_EQ(bench.Group(2).verdict(), v1::PASS);
}

INSTANTIATE_TEST_SUITE_P(
    All, SpoiltResult,
    testing::Values(
        Spoilt{"Absent", [](Bench& b) { b.Drop(1); }, v1::INCONCLUSIVE},
        Spoilt{"BothAbsent", [](Bench& b) { b.Drop(0), b.Drop(1); }, v1::INCONCLUSIVE},
        Spoilt{"Error", [](Bench& b) { b.Of(1).set_error("Connection closed by peer"); }, v1::FAIL},
        Spoilt{"FewIterations", [](Bench& b) { b.Of(0).mutable_iteration_us()->RemoveLast(); }, v1::INCONCLUSIVE},
        Spoilt{"NoIterations", [](Bench& b) { b.Of(0).clear_iteration_us(); }, v1::INCONCLUSIVE},
        Spoilt{"ZeroTime", [](Bench& b) { b.Of(0).set_iteration_us(1, 0); }, v1::INCONCLUSIVE},
        Spoilt{"NegativeTime", [](Bench& b) { b.Of(0).set_iteration_us(1, -3); }, v1::INCONCLUSIVE},
        Spoilt{"NanTime", [](Bench& b) { b.Of(0).set_iteration_us(1, std::nan("")); }, v1::INCONCLUSIVE},
        Spoilt{"OtherGroup", [](Bench& b) { b.Of(0).set_group_index(2); }, v1::INCONCLUSIVE},
        Spoilt{"WrongData", [](Bench& b) { b.Of(0).set_wrong_elements(2); }, v1::FAIL},
        Spoilt{"WrongDataAndAbsent", [](Bench& b) { b.Of(0).set_wrong_elements(2), b.Drop(1); }, v1::FAIL},
        Spoilt{"HugeWrongCounts",
               [](Bench& b) { b.Of(0).set_wrong_elements(INT64_MAX), b.Of(1).set_wrong_elements(INT64_MAX); },
               v1::FAIL}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Verdict, WrongElement_NamesSenderAndReceiver) {
  Bench bench(1);
  bench.Of(1).set_wrong_elements(1);
  bench.Of(1).mutable_first_wrong()->set_rank(1);
  bench.Of(1).mutable_first_wrong()->set_index(3);  // rank 0's block of an all-gather
  const Judged judged = bench.Run();
  EXPECT_EQ(judged.begin()->second.corrupt, (std::set<CorruptEdge>{{0, 1}}));
  bench.Of(1).mutable_first_wrong()->set_index(INT64_MAX);
  EXPECT_TRUE(bench.Run().begin()->second.corrupt.empty());
}

TEST(Verdict, RepeatsStrangersAndOrder_ChangeNothing) {
  Bench bench(4);
  bench.SetTime(3, 200);
  const auto bytes = [&] {
    std::string all;
    for (const auto& [key, group] : bench.Run()) all += group.result.SerializeAsString();
    return all;
  };
  const std::string before = bytes();
  bench.round.results.push_back(bench.Of(2));
  v1::StepResult stranger = bench.Of(2);
  stranger.set_global_rank(1000);
  bench.round.results.push_back(stranger);
  stranger.set_step(-4);
  bench.round.results.push_back(stranger);
  std::reverse(bench.round.results.begin(), bench.round.results.end());
  EXPECT_EQ(bytes(), before);
}

TEST(Verdict, Reference_TakesThePlaceOfTheSiblings) {
  Bench bench(2);
  Yardsticks reference;
  reference.Add({"dp", v1::ALL_GATHER, 8000}, 0, 0.08);
  reference.Sort();
  const Judged judged = bench.Run(&reference);
  for (const auto& [key, group] : judged) EXPECT_TRUE(group.slow) << group.result.why();
}

TEST(FamilyTable, WholeFamilySlowerThanTheLastPass_Warns) {
  Bench bench(4);
  v1::FamilyResult past;
  past.set_family("dp");
  past.set_collective(v1::ALL_GATHER);
  past.set_bytes(8000);
  past.set_median_gbps(0.08);
  bench.setting.history = {past};
  const auto rows = FamilyTable(bench.setting, bench.Run());
  EXPECT_EQ(rows[0].verdict(), v1::WARN);
  EXPECT_DOUBLE_EQ(rows[0].history_gbps(), 0.08);
}

TEST(FamilyTable, Rows_SumUpTheirGroups) {
  Bench bench(4);
  bench.SetTime(3, 200);
  bench.Drop(0);
  const auto rows = FamilyTable(bench.setting, bench.Run());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].groups(), 4);
  EXPECT_EQ(rows[0].failed_groups(), 1);
  EXPECT_EQ(rows[0].inconclusive_groups(), 1);
  EXPECT_EQ(rows[0].verdict(), v1::FAIL);
  EXPECT_DOUBLE_EQ(rows[0].slowest_gbps(), 0.02);
  EXPECT_DOUBLE_EQ(rows[0].median_gbps(), 0.04);
}

TEST(Worse, Order_IsFailInconclusiveWarnPassSkipped) {
  const v1::TestVerdict order[] = {v1::FAIL, v1::INCONCLUSIVE, v1::WARN, v1::PASS, v1::SKIPPED};
  for (int i = 0; i < 5; ++i) {
    for (int j = i; j < 5; ++j) {
      EXPECT_EQ(Worse(order[i], order[j]), order[i]);
      EXPECT_EQ(Worse(order[j], order[i]), order[i]);
    }
  }
}

}  // namespace
}  // namespace muster::selftest
