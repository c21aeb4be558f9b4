#include "lib/selftest/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

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
    for (const auto& [key, group] : Judge(setting, round)) {
      if (key.second == index) return group.result;
    }
    return {};
  }

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

TEST(Verdict, JustAboveTheLimit_PassesWithAWarning) {
  Bench bench(4);
  bench.SetTime(2, 100 / 0.88);
  EXPECT_EQ(bench.Group(1).verdict(), v1::WARN);
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
  const Judged judged = Judge(bench.setting, bench.round);
  EXPECT_EQ(judged.begin()->second.corrupt, (std::set<CorruptEdge>{{0, 1}}));
  bench.Of(1).mutable_first_wrong()->set_index(INT64_MAX);
  EXPECT_TRUE(Judge(bench.setting, bench.round).begin()->second.corrupt.empty());
}

TEST(Verdict, RepeatsStrangersAndOrder_ChangeNothing) {
  Bench bench(4);
  bench.SetTime(3, 200);
  const auto bytes = [&] {
    std::string all;
    for (const auto& [key, group] : Judge(bench.setting, bench.round)) all += group.result.SerializeAsString();
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
  const Judged judged = Judge(bench.setting, bench.round, {{{"dp", v1::ALL_GATHER, 8000}, 0.08}});
  for (const auto& [key, group] : judged) EXPECT_TRUE(group.slow) << group.result.why();
}

TEST(FamilyTable, Rows_SumUpTheirGroups) {
  Bench bench(4);
  bench.SetTime(3, 200);
  bench.Drop(0);
  const auto rows = FamilyTable(bench.setting, Judge(bench.setting, bench.round));
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
