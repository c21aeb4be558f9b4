#include "client/cli/placement_view.h"

#include <gtest/gtest.h>

#include <sstream>

#include "client/cli/samples.h"

namespace muster::cli {
namespace {

std::string Placement(const PlacementView& view) {
  std::ostringstream out;
  Screen screen(out, {});
  PrintPlacement(screen, view);
  return out.str();
}

std::string Crossings(const v1::Placement& placement) {
  std::ostringstream out;
  Screen screen(out, {});
  PrintCrossings(screen, placement);
  return out.str();
}

TEST(PrintCrossings, SeedExample_SaysWhereGroupsAreAndWhatCrosses) {
  EXPECT_EQ(Crossings(SeedPlacement()), R"(FAMILY  GROUPS  IN NODE  IN RACK  ACROSS RACKS   EDGES ACROSS RACKS
tp      16 × 4       16        0             0              0 of 64
dp_cp    8 × 8        0        0             8             16 of 64
pp      32 × 2        0       32             0              0 of 32
)");
}

TEST(PrintCrossings, GroupsAcrossBlocks_AddTheTier) {
  v1::Placement placement = SeedPlacement();
  auto* block = placement.mutable_crossings(1)->mutable_tiers(0);
  block->set_crossing_groups(2);
  block->set_crossing_edges(4);
  EXPECT_EQ(Crossings(placement),
            R"(FAMILY  GROUPS  IN NODE  IN RACK  IN BLOCK  ACROSS BLOCKS   EDGES ACROSS RACKS  EDGES ACROSS BLOCKS
tp      16 × 4       16        0         0              0              0 of 64              0 of 64
dp_cp    8 × 8        0        0         6              2             16 of 64              4 of 64
pp      32 × 2        0       32         0              0              0 of 32              0 of 32
)");
}

TEST(PrintCrossings, NoTiers_OnlyNodes) {
  v1::Placement placement = SeedPlacement();
  placement.clear_tiers();
  EXPECT_EQ(Crossings(placement), R"(FAMILY  GROUPS  IN NODE  ACROSS NODES
tp      16 × 4       16             0
dp_cp    8 × 8        0             8
pp      32 × 2        0            32
)");
}

TEST(PrintPlacement, ShowsRanksWherePodsAreUnknown) {
  EXPECT_EQ(Placement({.placement = SeedPlacement(), .workers_per_member = 8}),
            R"(NODE RANK  NODE     BLOCK/RACK  GLOBAL RANKS
        0  gpu-a01  b1/r1       0–7
        1  gpu-a02  b1/r1       8–15
        2  gpu-b01  b1/r2       16–23
        3  gpu-b02  b1/r2       24–31
        4  gpu-a03  b1/r1       32–39
        5  gpu-a04  b1/r1       40–47
        6  gpu-b03  b1/r2       48–55
        7  gpu-b04  b1/r2       56–63
)");
}

TEST(PrintPlacement, ManyRanks_AreCutWithACount_UnlessWide) {
  v1::Placement placement;
  for (int i = 0; i < 100; ++i) placement.add_ranks()->set_node(absl::StrCat("n", i));
  placement.add_spares()->set_node("s1");
  const std::string cut = Placement({.placement = placement});
  EXPECT_NE(cut.find("… and 36 more node ranks (all of them: -o wide)\nspare: s1"), std::string::npos) << cut;
  EXPECT_EQ(cut.find("n64"), std::string::npos);
  EXPECT_NE(Placement({.placement = placement, .wide = true}).find("n99"), std::string::npos);
}

TEST(CostText, SaysHowGoodItIs) {
  v1::Placement p = SeedPlacement();
  EXPECT_EQ(CostText(p),
            "cost 3,600 (optimal: equals the lower bound) · ranks in name order would cost 9,504 (2.64 ×)");
  p.set_lower_bound(3000);
  EXPECT_EQ(CostText(p),
            "cost 3,600 (at most 20.0 % above the least possible; lower bound 3,000) · ranks in name order "
            "would cost 9,504 (2.64 ×)");
  p.set_bound_known(false);
  p.set_name_order_cost(3600);
  EXPECT_EQ(CostText(p), "cost 3,600 · ranks in name order would cost the same");
  EXPECT_EQ(CostText({}), "");
}

}  // namespace
}  // namespace muster::cli
