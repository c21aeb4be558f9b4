// Jobs as people get them wrong, from the file to the plan: each is refused with file, line and way out, or can never
// be placed, with the numbers.
#include "lib/placement/plan_job.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/job/job_file.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::HasSubstr;

// 32 nodes of eight slots, eight a rack.
Cluster FourRacks() {
  std::vector<NodeGroup> groups;
  for (int rack = 0; rack < 4; ++rack) {
    NodeGroup group{{"r" + std::to_string(rack)}, {}};
    for (int i = 0; i < 8; ++i) group.names.push_back("n" + std::to_string(8 * rack + i));
    groups.push_back(std::move(group));
  }
  return ClusterOf({"rack"}, groups);
}

struct Row {
  std::string about;
  std::string spec;  // below "spec:"
  std::string says;
};

std::string JobText(const std::string& spec) { return "name: a\nspec:\n" + spec; }

class WrongJob : public ::testing::TestWithParam<Row> {};

TEST_P(WrongJob, IsRefusedWithItsLine) {
  const auto job = ReadJobFile(JobText(GetParam().spec), "job.yaml");
  absl::Status status = job.status();
  if (job.ok()) status = WithLine(PlanJob("default/a", job->spec, FourRacks(), {}).status(), *job);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("job.yaml:" + GetParam().says));
  EXPECT_LT(status.message().size(), 400u);
}

const char kEight[] = "  workersPerMember: 8\n";

INSTANTIATE_TEST_SUITE_P(
    Jobs, WrongJob,
    ::testing::ValuesIn(std::vector<Row>{
        {"zero_members", "  members: 0\n", "3: spec.members: 0 is out of range; give 1"},
        {"negative_members", "  members: -3\n", "3: spec.members: -3 is out of range"},
        {"huge_members", "  members: 9223372036854775807\n", "3: spec.members: 9223372036854775807 is out of range"},
        {"overflowing_members", "  members: 9223372036854775808\n", "3: spec.members: \"9223372036854775808\" is not"},
        {"negative_workers", "  members: 2\n  workersPerMember: -1\n", "4: spec.workersPerMember: -1 is out of range"},
        {"mesh_does_not_divide",
         std::string("  members: 12\n") + kEight + "  mesh: {dialect: megatron, axes: {tp: 8, cp: 2, pp: 4}}\n",
         "5: spec.mesh: tp 8 × cp 2 × pp 4 = 64 does not divide 96 workers"},
        {"zero_axis", std::string("  members: 4\n") + kEight + "  mesh: {dialect: megatron, axes: {tp: 0}}\n",
         "5: spec.mesh.axes.tp: 0 is below 1"},
        {"negative_axis", std::string("  members: 4\n") + kEight + "  mesh: {dialect: megatron, axes: {tp: -8}}\n",
         "5: spec.mesh.axes.tp: -8 is below 1"},
        {"huge_axis",
         std::string("  members: 4\n") + kEight + "  mesh: {dialect: megatron, axes: {tp: 9223372036854775807}}\n",
         "5: spec.mesh: tp 9223372036854775807"},
        {"huge_axes",
         std::string("  members: 4\n") + kEight +
             "  mesh: {dialect: megatron, axes: {tp: 4294967296, cp: 4294967296, pp: 4294967296}}\n",
         "5: spec.mesh"},
        {"slice_does_not_divide", "  members: 4\n  placement: {slices: [{size: 3, tier: rack}]}\n",
         "4: spec.placement.slices[0].size: 3 does not divide 4 members"},
        {"zero_slice", "  members: 4\n  placement: {slices: [{size: 0, tier: rack}]}\n",
         "4: spec.placement.slices[0].size: 0 is out of range"},
        {"two_slices_of_a_tier",
         "  members: 4\n  placement: {slices: [{size: 2, tier: rack}, {size: 4, tier: rack}]}\n",
         "4: spec.placement.slices[1].tier: \"rack\" has a slice already"},
        {"slices_across_members_of_a_node",
         "  members: 6\n  placement: {membersPerNode: 2, slices: [{size: 3, tier: rack}]}\n",
         "4: spec.placement.slices[0].size: 3 members do not line up with 2 members a node"},
        {"node_twice", "  members: 2\n  placement: {nodes: [n1, n1]}\n",
         "4: spec.placement.nodes[1]: \"n1\" is there twice"},
        {"negative_spares", "  members: 2\n  placement: {spares: -1}\n",
         "4: spec.placement.spares: -1 is out of range"},
        {"negative_weight",
         std::string("  members: 4\n") + kEight +
             "  mesh: {dialect: megatron, axes: {tp: 8, dp: 4}}\n  placement: {traffic: [{family: tp, weight: -1}]}\n",
         "6: spec.placement.traffic[0].weight: -1 is out of range"},
        {"unknown_family",
         std::string("  members: 4\n") + kEight +
             "  mesh: {dialect: megatron, axes: {tp: 8, dp: 4}}\n  placement: {traffic: [{family: zz, weight: 1}]}\n",
         "6: spec.placement.traffic[0].family: the mesh has no family \"zz\""},
        {"ten_megabyte_line", "  members: 4\n  x: " + std::string(10 << 20, 'x') + "\n", " the file has"},
    }),
    [](const auto& row) { return row.param.about; });

class ImpossibleJob : public ::testing::TestWithParam<Row> {};

TEST_P(ImpossibleJob, IsNeverWithNumbersAndWaysOut) {
  const auto job = ReadJobFile(JobText(GetParam().spec), "job.yaml");
  ASSERT_TRUE(job.ok()) << job.status();
  const auto plan = PlanJob("default/a", job->spec, FourRacks(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->explanation().feasibility(), v1::NEVER);
  EXPECT_THAT(plan->explanation().summary(), HasSubstr(GetParam().says));
  EXPECT_GT(plan->explanation().ways_out_size(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, ImpossibleJob,
    ::testing::ValuesIn(std::vector<Row>{
        {"unknown_required", "  members: 4\n  placement: {required: pod}\n", "no tier \"pod\"; its tiers are rack"},
        {"unknown_preferred", "  members: 4\n  placement: {preferred: pod}\n", "no tier \"pod\""},
        {"unknown_slice_tier", "  members: 4\n  placement: {slices: [{size: 2, tier: cage}]}\n", "no tier \"cage\""},
        {"more_than_a_rack", "  members: 16\n  placement: {required: rack}\n", "16 nodes in one rack are required"},
        {"slices_above_a_rack", "  members: 32\n  placement: {slices: [{size: 16, tier: rack}]}\n",
         "slices of 16 nodes"},
        {"required_rack_and_a_spare", "  members: 8\n  placement: {required: rack, spares: 1}\n",
         "8 nodes and 1 spare"},
        {"fewer_named_than_needed", "  members: 4\n  placement: {nodes: [n1, n2]}\n", "has 2 in all that fit"},
        {"required_rack_and_nodes_of_two", "  members: 2\n  placement: {required: rack, nodes: [n1, n31]}\n",
         "2 nodes in one rack are required"},
        {"selector_of_nobody", "  members: 4\n  placement: {nodeSelector: {zone: x}}\n", "has 0 in all that fit"},
        {"more_workers_than_slots", "  members: 4\n  workersPerMember: 64\n", "less than 64 slots"},
    }),
    [](const auto& row) { return row.param.about; });

}  // namespace
}  // namespace muster::placement
