#include "lib/selftest/parties.h"

#include <gtest/gtest.h>

#include "lib/selftest/fake_setting.h"

namespace muster::selftest {
namespace {

Setting Racks() {
  Setting setting = FakeSettingWithoutMesh(12, 2);
  auto placement = FakePlacement(6);
  placement->add_tiers("block");
  placement->add_tiers("rack");
  const char* paths[6][2] = {{"b1", "r1"}, {"b1", "r1"}, {"b1", "r2"}, {"b2", "r1"}, {"b2", ""}, {"", "r1"}};
  for (int r = 0; r < 6; ++r) {
    for (const char* label : paths[r]) placement->mutable_ranks(r)->add_topology_path(label);
  }
  setting.placement = placement;
  return setting;
}

TEST(Parties, Spans_AreByTheFinestSharedDomain) {
  const Parties parties(Racks());
  const auto span = [&](std::vector<int32_t> ranks) { return parties.SpanName(parties.SpanOf(ranks)); };
  EXPECT_EQ(span({2}), "node");
  EXPECT_EQ(span({0, 1}), "rack");
  EXPECT_EQ(span({0, 2}), "block");
  EXPECT_EQ(span({0, 3}), "cluster") << "r1 of b2 is another rack";
  EXPECT_EQ(span({3, 4}), "block");
  EXPECT_EQ(span({3, 5}), "cluster") << "unknown is equal to nothing";
  EXPECT_EQ(parties.DomainName(1, parties.fabric().domains[1][0]), "b1/r1");
}

TEST(Parties, MembersOnOneNode_AreOnePartyWithMoreRails) {
  Setting setting = FakeSettingWithoutMesh(8, 2);
  auto placement = FakePlacement(4);
  for (int r = 0; r < 4; ++r) placement->mutable_ranks(r)->set_node_uid(r < 2 ? "a" : "b");
  setting.placement = placement;
  const Parties parties(setting);
  ASSERT_EQ(parties.size(), 2);
  EXPECT_EQ(parties[1].workers, (std::vector<int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(parties.fabric().rails, 4);
  EXPECT_EQ(parties.RailOf(6), 2);
  EXPECT_EQ(parties.RailOf(99), -1);
  EXPECT_EQ(parties.OfNodeRanks({0, 1, 3, 7}), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace muster::selftest
