#include "lib/job/validate.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

v1::JobSpec WithAxes(const std::string& dialect, const std::vector<std::pair<std::string, int64_t>>& axes) {
  v1::JobSpec spec;
  spec.set_members(4);
  spec.set_workers_per_member(8);
  spec.mutable_mesh()->set_dialect(dialect);
  for (const auto& [name, size] : axes) {
    v1::MeshSpec::Axis& axis = *spec.mutable_mesh()->add_axes();
    axis.set_name(name);
    axis.set_size(size);
  }
  return spec;
}

TEST(Validate, EveryDialect_HasItsMesh) {
  const std::vector<v1::JobSpec> specs = {
      WithAxes("", {{"tp", 4}}),
      WithAxes("megatron", {{"tp", 4}, {"dp", 8}}),
      WithAxes("deepspeed", {{"pipe", 2}, {"data", 4}, {"model", 4}}),
      WithAxes("torch", {{"dp", 8}, {"tp", 4}}),
      WithAxes("nemo",
               {{"pipeline_parallel", 1}, {"data_parallel", 8}, {"context_parallel", 1}, {"tensor_parallel", 4}}),
  };
  for (const v1::JobSpec& spec : specs) {
    EXPECT_TRUE(ValidateJob("", "a", spec).ok()) << ValidateJob("", "a", spec) << spec.mesh().dialect();
    const auto mesh = MeshOf(spec);
    ASSERT_TRUE(mesh.ok()) << mesh.status();
    EXPECT_EQ((*mesh)->world(), 32);
  }
}

TEST(Validate, WorldThatDoesNotFit_IsRefusedInEveryDialect) {
  const std::vector<v1::JobSpec> specs = {
      WithAxes("megatron", {{"tp", 5}}),
      WithAxes("deepspeed", {{"pipe", 2}, {"data", 4}, {"model", 2}}),
      WithAxes("torch", {{"dp", 8}, {"tp", 8}}),
      WithAxes("nemo", {{"data_parallel", 3}}),
  };
  for (const v1::JobSpec& spec : specs) {
    const absl::Status status = ValidateJob("", "a", spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << spec.mesh().dialect();
    EXPECT_THAT(std::string(status.message()), HasSubstr("spec.mesh")) << spec.mesh().dialect();
  }
}

TEST(Validate, ValuesOfANewerContract_AreRefusedByField) {
  v1::JobSpec spec;
  spec.set_members(1);
  spec.mutable_launch()->set_kind(static_cast<v1::LaunchSpec::Kind>(77));
  EXPECT_THAT(std::string(ValidateJob("", "a", spec).message()), HasSubstr("spec.launch.kind: 77 is no value"));
  spec.clear_launch();
  spec.mutable_placement()->set_source(static_cast<v1::PlacementSpec::Source>(-1));
  EXPECT_THAT(std::string(ValidateJob("", "a", spec).message()), HasSubstr("spec.placement.source: -1 is no value"));
}

void Bound(v1::PlacementSpec& placement, const char* tier, int32_t min, int32_t max) {
  v1::PlacementSpec::PerDomain& counts = *placement.add_per_domain();
  counts.set_tier(tier);
  counts.set_min(min);
  counts.set_max(max);
}

TEST(Validate, WishesOfPlacement_OutOfRangeAreRefusedByField) {
  using Change = void (*)(v1::PlacementSpec&);
  struct Row {
    Change change;
    const char* says;
  };
  const std::vector<Row> rows = {
      {[](v1::PlacementSpec& p) { p.set_preferred_penalty(-1); }, "spec.placement.preferredPenalty: -1"},
      {[](v1::PlacementSpec& p) { p.set_preferred_penalty(int64_t{1} << 62); }, "give 0 to 1000000000"},
      {[](v1::PlacementSpec& p) { p.set_spare_weight(1'000'001); }, "spec.placement.spareWeight: 1000001"},
      {[](v1::PlacementSpec& p) { Bound(p, "", 0, 0); }, "spec.placement.perDomain[0].tier: it is empty"},
      {[](v1::PlacementSpec& p) { Bound(p, "rack", -1, 0); }, "spec.placement.perDomain[0].min: -1"},
      {[](v1::PlacementSpec& p) { Bound(p, "rack", 5, 0); }, "spec.placement.perDomain[0].min: 5"},
      {[](v1::PlacementSpec& p) { Bound(p, "rack", 3, 2); }, "spec.placement.perDomain[0].max: 2"},
      {[](v1::PlacementSpec& p) { Bound(p, "rack", 0, INT32_MAX); }, "give 1 to 4"},
      {[](v1::PlacementSpec& p) {
         Bound(p, "rack", 0, 1);
         Bound(p, "rack", 0, 2);
       },
       "spec.placement.perDomain[1].tier: \"rack\" is there twice"},
      {[](v1::PlacementSpec& p) {
         for (int i = 0; i < 9; ++i) Bound(p, "rack", 0, 0);
       },
       "there are 9 entries"},
      {[](v1::PlacementSpec& p) { p.mutable_apart()->set_tier("rack"); }, "spec.placement.apart.axis: it is empty"},
      {[](v1::PlacementSpec& p) { p.mutable_apart()->set_axis("dp"); }, "spec.placement.apart.tier: it is empty"},
      {[](v1::PlacementSpec& p) { p.add_avoid_nodes(std::string(254, 'n')); }, "spec.placement.avoidNodes[0]"},
      {[](v1::PlacementSpec& p) {
         p.add_avoid_nodes("a");
         p.add_prefer_nodes("a");
       },
       "spec.placement.preferNodes[0]: \"a\" is there twice"},
      {[](v1::PlacementSpec& p) {
         for (int i = 0; i < 20'001; ++i) p.add_prefer_nodes(std::to_string(i));
       },
       "spec.placement.preferNodes: there are 20001 names"},
  };
  for (const Row& row : rows) {
    v1::JobSpec spec;
    spec.set_members(4);
    row.change(*spec.mutable_placement());
    const absl::Status status = ValidateJob("", "a", spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace muster
