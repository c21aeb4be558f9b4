#include "lib/inventory/presets.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::inventory {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Keys(const std::vector<Tier>& tiers) {
  std::vector<std::string> keys;
  for (const Tier& tier : tiers) keys.push_back(tier.label);
  return keys;
}

TEST(Presets, AreWellFormed) {
  std::set<std::string> names;
  for (const Preset& preset : Presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_TRUE(Tiers::Create(preset.tiers).ok()) << preset.name;
    EXPECT_EQ(FindPreset(preset.name), &preset);
  }
  EXPECT_EQ(FindPreset("nowhere"), nullptr);
}

TEST(Presets, Detection_TakesTheOneWithMostLabels) {
  struct Row {
    std::vector<Labels> nodes;
    std::string preset;
  };
  const std::vector<Row> rows = {
      {{{{"topology.kubernetes.io/zone", "z"}}}, "generic"},
      {{}, "generic"},
      {{{{"topology.kubernetes.io/zone", "z"}, {"topology.k8s.aws/network-node-layer-1", "a"}}}, "eks"},
      {{{{"cloud.google.com/gce-topology-block", "a"}}, {{"fabric.topograph.run/tier-0", "x"}}}, "topograph"},
      {{{{"network.topology.nvidia.com/spine", "s"}, {"network.topology.nvidia.com/block", "b"}}}, "topograph_oldest"},
      {{{{"network.topology.nvidia.com/spine", "s"}, {"network.topology.nvidia.com/leaf", "b"}}}, "topograph_old"},
      // Present but empty: CoreWeave's nodes without a fabric.
      {{{{"backend.coreweave.cloud/fabric", ""}}}, "generic"},
      {{{{"backend.coreweave.cloud/fabric", "f"}, {"backend.coreweave.cloud/leafgroup", "7"}}}, "coreweave"},
  };
  for (const Row& row : rows) EXPECT_EQ(DetectPreset(row.nodes).name, row.preset);
}

TEST(Presets, NumberedLevels_AreThoseThatTheNodesHave) {
  const std::vector<Labels> four = {{{"topology.k8s.aws/network-node-layer-1", "a"},
                                     {"topology.k8s.aws/network-node-layer-2", "b"},
                                     {"topology.k8s.aws/network-node-layer-4", "d"}},
                                    {{"topology.k8s.aws/network-node-layer-3", "c"}}};
  EXPECT_THAT(Keys(TiersOf(*FindPreset("eks"), four)),
              ElementsAre("topology.kubernetes.io/zone", "topology.k8s.aws/network-node-layer-1",
                          "topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-3",
                          "topology.k8s.aws/network-node-layer-4"));
  const std::vector<Labels> topograph = {{{"fabric.topograph.run/tier-0", "a"}, {"fabric.topograph.run/tier-1", "b"}},
                                         {{"fabric.topograph.run/tier-x", "no number"}}};
  EXPECT_THAT(Keys(TiersOf(*FindPreset("topograph"), topograph)),
              ElementsAre("fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"));
  Labels many;
  for (int i = 0; i < 99; ++i) many["fabric.topograph.run/tier-" + std::to_string(i)] = "x";
  const auto kept = TiersOf(*FindPreset("topograph"), {many});
  ASSERT_EQ(kept.size(), kMaxTiers);
  EXPECT_EQ(kept.back().label, "fabric.topograph.run/tier-0");
}

}  // namespace
}  // namespace muster::inventory
