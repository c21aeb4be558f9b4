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

}  // namespace
}  // namespace muster
