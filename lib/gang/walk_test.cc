// A gang walked at random (walk_world.h), one walk a source of nodes and kind of launch.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "lib/gang/walk_world.h"

namespace muster::gang {
namespace {

struct Row {
  const char* name;
  HarnessOptions options;
};

class Walk : public testing::TestWithParam<Row> {};

TEST_P(Walk, AnyOrderOfEvents_KeepsTheInvariants) {
  int steps = 0;
  int released = 0;
  std::map<v1::Phase, int> seen;
  for (uint64_t seed = 1; steps < 8000 || (released <= 5 && steps < 32000); ++seed) {
    World world(seed, GetParam().options);
    for (int i = 0; i < 400 && !world.over(); ++i, ++steps) {
      world.Move();
      ++seen[world.h.phase()];
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", step " << i << "\n"
                                                << world.trace() << "\n"
                                                << Describe(world.h.gang);
    }
    released += static_cast<int>(world.h.gang.epoch.value());
  }
  // The walk must get everywhere, or it proves nothing.
  EXPECT_GT(released, 5);
  for (const v1::Phase phase :
       {v1::PLACED, v1::TESTING, v1::ASSEMBLING, v1::RUNNING, v1::REPAIRING, v1::STOPPING, v1::FINISHED}) {
    if (GetParam().options.waived && (phase == v1::TESTING || phase == v1::PLACED)) continue;
    EXPECT_GT(seen[phase], 20) << v1::Phase_Name(phase);
  }
}

HarnessOptions Options(v1::PlacementSpec::Source source, v1::LaunchSpec::Kind launch, bool waived, bool owned) {
  HarnessOptions options{
      .members = kWorldMembers, .source = source, .launch = launch, .waived = waived, .owned = owned};
  options.limits.mutable_deadline()->set_seconds(7200);
  options.limits.mutable_max_duration()->set_seconds(3000);
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Sources, Walk,
    testing::Values(Row{"MusterExternal", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::EXTERNAL, false, false)},
                    Row{"MusterAgent", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::AGENT, false, false)},
                    Row{"MusterWaived", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::EXTERNAL, true, true)},
                    Row{"Kueue", Options(v1::PlacementSpec::KUEUE, v1::LaunchSpec::EXTERNAL, false, true)},
                    Row{"Bound", Options(v1::PlacementSpec::BOUND, v1::LaunchSpec::EXTERNAL, false, true)}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace muster::gang
