#include "lib/mesh/nemo_dispatch.h"

#include <map>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Workers = std::vector<int64_t>;

struct Outcome {
  Workers called, returns;
  std::map<std::string, Workers> slices;
};

Outcome Dispatched(const NamedSharding& sharding, const DispatchSpec& spec, Compat compat = Compat::kCareful) {
  const auto dispatch = Dispatch::Create(sharding, spec, compat);
  EXPECT_TRUE(dispatch.ok()) << dispatch.status();
  Outcome outcome;
  for (int64_t worker = 0; worker < sharding.size(); ++worker) {
    const WorkerCall call = dispatch->CallOf(worker);
    if (call.called) outcome.called.push_back(worker);
    if (call.returns) outcome.returns.push_back(worker);
    if (call.called) outcome.slices[call.has_data ? absl::StrJoin(call.slice, "/") : "none"].push_back(worker);
  }
  return outcome;
}

NamedSharding LayoutA() {
  return *NamedSharding::OfShape({kPipelineParallel, kDataParallel, kContextParallel, kTensorParallel}, {1, 6, 1, 4},
                                 Compat::kCareful);
}
NamedSharding LayoutB() {
  return *NamedSharding::OfShape({kPipelineParallel, kDataParallel, kGtpWeightRemat, kContextParallel, kTensorParallel},
                                 {1, 2, 3, 1, 4}, Compat::kCareful);
}
DispatchSpec TrainOver(std::vector<std::string> sharded) {
  const std::vector<std::string> copies = {kContextParallel, kTensorParallel, kPipelineParallel};
  return {.sharded = std::move(sharded), .replicated = copies, .output_replicated = copies, .dummy_calls = false};
}

TEST(Dispatch, LayoutATrain_AllCalledOneALaneReturns) {
  const Outcome outcome = Dispatched(LayoutA(), TrainOver({kDataParallel}));
  EXPECT_EQ(outcome.called.size(), 24u);
  EXPECT_THAT(outcome.returns, ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_THAT(outcome.slices.at("2"), ElementsAre(8, 9, 10, 11));
}

TEST(Dispatch, LayoutBShardedOverBoth_SlicesByPath) {
  const Outcome outcome = Dispatched(LayoutB(), TrainOver({kDataParallel, kGtpWeightRemat}));
  EXPECT_EQ(outcome.called.size(), 24u);
  EXPECT_THAT(outcome.slices.at("1/2"), ElementsAre(20, 21, 22, 23));
  // The path follows the order in which the axes are given.
  EXPECT_THAT(Dispatched(LayoutB(), TrainOver({kGtpWeightRemat, kDataParallel})).slices.at("2/1"),
              ElementsAre(20, 21, 22, 23));
}

TEST(Dispatch, LayoutBWithGtpFree_CarefulRefuses_UpstreamLeavesWorkersIdle) {
  const auto careful = Dispatch::Create(LayoutB(), TrainOver({kDataParallel}), Compat::kCareful);
  EXPECT_EQ(RuleOf(careful.status()), "gtp_axis_left_free");
  EXPECT_THAT(std::string(careful.status().message()), HasSubstr("only one in 3 workers is called"));
  const Outcome upstream = Dispatched(LayoutB(), TrainOver({kDataParallel}), Compat::kUpstream);
  EXPECT_THAT(upstream.called, ElementsAre(0, 1, 2, 3, 12, 13, 14, 15));
  EXPECT_THAT(upstream.returns, ElementsAre(0, 12));
}

TEST(Dispatch, DummyCalls_ReachAllWithoutData) {
  DispatchSpec spec = TrainOver({kDataParallel});
  spec.dummy_calls = true;
  const Outcome outcome = Dispatched(LayoutB(), spec);
  EXPECT_EQ(outcome.called.size(), 24u);
  EXPECT_THAT(outcome.returns, ElementsAre(0, 12));
  EXPECT_EQ(outcome.slices.at("none").size(), 16u);
}

TEST(Dispatch, FreeAxes_CallTheirLeader) {
  const NamedSharding generation =
      *NamedSharding::OfShape({kDataParallel, kPipelineParallel, kTensorParallel}, {2, 1, 4}, Compat::kCareful);
  const Outcome outcome =
      Dispatched(generation, {.sharded = {kDataParallel}, .replicated = {}, .output_replicated = {}});
  EXPECT_THAT(outcome.called, ElementsAre(0, 4));
  EXPECT_THAT(outcome.returns, ElementsAre(0, 4));
}

TEST(Dispatch, AllReplicated_GetTheWholeArgument) {
  const Outcome outcome =
      Dispatched(LayoutA(), {.sharded = {},
                             .replicated = {kPipelineParallel, kDataParallel, kContextParallel, kTensorParallel},
                             .output_replicated = {}});
  EXPECT_EQ(outcome.slices.at("").size(), 24u);
  EXPECT_EQ(outcome.returns.size(), 24u);
}

TEST(Dispatch, PermutedLayout_GoesByCoordinates) {
  const NamedSharding sharding = *NamedSharding::OfLayout({"a", "b"}, {{2, 2}, {3, 1, 0, 2}}, Compat::kCareful);
  const Outcome outcome = Dispatched(sharding, {.sharded = {"a"}, .replicated = {}, .output_replicated = {}});
  EXPECT_THAT(outcome.called, ElementsAre(0, 3));
  EXPECT_THAT(outcome.slices.at("0"), ElementsAre(3));
  EXPECT_THAT(outcome.slices.at("1"), ElementsAre(0));
}

TEST(Dispatch, BrokenInBoth_IsRefusedInOrder) {
  struct {
    DispatchSpec spec;
    std::string rule;
  } cases[] = {
      {{.sharded = {"zz"}, .replicated = {}, .output_replicated = {}}, "axis_unknown"},
      {{.sharded = {"zz"}, .replicated = {"yy"}, .output_replicated = {}}, "replicated_axis_unknown"},
      {{.sharded = {kDataParallel}, .replicated = {kDataParallel}, .output_replicated = {}},
       "axis_both_sharded_and_replicated"},
      {{.sharded = {kDataParallel, "zz"}, .replicated = {kDataParallel}, .output_replicated = {}}, "axis_unknown"},
  };
  for (const auto& test : cases) {
    for (Compat compat : {Compat::kCareful, Compat::kUpstream}) {
      EXPECT_EQ(RuleOf(Dispatch::Create(LayoutA(), test.spec, compat).status()), test.rule);
    }
  }
}

TEST(Dispatch, UnnoticedUpstream_CarefulRefuses) {
  struct {
    DispatchSpec spec;
    std::string rule, message;
  } cases[] = {
      {{.sharded = {kDataParallel}, .replicated = {}, .output_replicated = {"zz"}},
       "output_replicated_axis_unknown",
       "'zz'"},
      {{.sharded = {kDataParallel}, .replicated = {}, .output_replicated = {kDataParallel}},
       "output_axis_sharded",
       "shards 1..5"},
      {{.sharded = {kDataParallel, kDataParallel}, .replicated = {}, .output_replicated = {}},
       "axis_listed_twice",
       "data_parallel"},
  };
  for (const auto& test : cases) {
    const auto careful = Dispatch::Create(LayoutA(), test.spec, Compat::kCareful);
    EXPECT_EQ(RuleOf(careful.status()), test.rule);
    EXPECT_THAT(std::string(careful.status().message()), HasSubstr(test.message));
    EXPECT_TRUE(Dispatch::Create(LayoutA(), test.spec, Compat::kUpstream).ok());
  }
}

TEST(Dispatch, LayoutIsNoPermutation_IsRefused) {
  const NamedSharding sharding = *NamedSharding::OfLayout({"a"}, {{2}, {0, 7}}, Compat::kCareful);
  const auto dispatch =
      Dispatch::Create(sharding, {.sharded = {"a"}, .replicated = {}, .output_replicated = {}}, Compat::kUpstream);
  EXPECT_EQ(RuleOf(dispatch.status()), "worker_unknown");
}

}  // namespace
}  // namespace muster::mesh
