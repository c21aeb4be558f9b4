#include "lib/mesh/mesh.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/creation.h"
#include "lib/mesh/mesh_builder.h"

namespace muster::mesh {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// tp 2, dp 2 from rank 10 on; pairs of dp created in turns with tp.
std::shared_ptr<const Mesh> Small() {
  const Grid grid = *Grid::Create({{"tp", 2}, {"dp", 2}}, 10);
  MeshBuilder builder("hand", grid.world(), grid);
  const StridedLayout dp = GridLayout(grid, grid.Select({"dp"}));
  std::vector<Family> turns;
  turns.push_back(Family("dp", dp).WithGlooTwin(true));
  turns.push_back(Family("dp_half", Blocks(dp, 2)));
  builder.AddInTurns(std::move(turns), 2);
  builder.Add(Family("tp", GridLayout(grid, grid.Select({"tp"}))));
  builder.Alias("data", "dp");
  builder.Note("said so");
  return std::move(builder).Build();
}

TEST(Mesh, Builder_KeepsWhatItWasTold) {
  const auto mesh = Small();
  EXPECT_EQ(mesh->world(), 4);
  EXPECT_EQ(mesh->first_rank(), 10);
  EXPECT_EQ(mesh->dialect(), "hand");
  EXPECT_EQ(mesh->expert(), nullptr);
  EXPECT_THAT(mesh->notes(), ElementsAre("said so"));
}

TEST(Mesh, Find_ResolvesAliases) {
  const auto mesh = Small();
  ASSERT_NE(mesh->Find("data"), nullptr);
  EXPECT_EQ(mesh->Find("data"), mesh->Find("dp"));
  EXPECT_EQ(mesh->Find("pp"), nullptr);
  EXPECT_EQ(mesh->Find(""), nullptr);
}

TEST(Mesh, Coordinates_OneEntryAnAxis_NoneOutside) {
  const auto mesh = Small();
  const Coordinates coordinates = mesh->DenseCoordinates(13);
  ASSERT_EQ(coordinates.size(), 2u);
  EXPECT_EQ(coordinates[1].axis, "dp");
  EXPECT_EQ(coordinates[1].index, 1);
  EXPECT_EQ(coordinates[1].size, 2);
  EXPECT_THAT(mesh->DenseCoordinates(9), IsEmpty());
  EXPECT_THAT(mesh->DenseCoordinates(14), IsEmpty());
  EXPECT_THAT(mesh->ExpertCoordinates(10), IsEmpty());
}

TEST(Creation, Turns_EachRoundCreatesItsShareOfEachFamily) {
  const auto mesh = Small();
  std::vector<std::string> calls;
  ForEachCreation(*mesh, [&](const GroupCreation& creation) {
    calls.push_back(absl::StrCat(creation.family.name(), creation.gloo_twin ? "/gloo " : " ",
                                 absl::StrJoin(creation.family.group(creation.index).Members(), ",")));
  });
  EXPECT_THAT(calls, ElementsAre("dp 10,12", "dp/gloo 10,12", "dp_half 10", "dp_half 12", "dp 11,13", "dp/gloo 11,13",
                                 "dp_half 11", "dp_half 13", "tp 10,11", "tp 12,13"));
  EXPECT_EQ(CountCreations(*mesh), static_cast<int64_t>(calls.size()));
}

}  // namespace
}  // namespace muster::mesh
