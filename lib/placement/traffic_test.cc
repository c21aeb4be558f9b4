#include "lib/placement/traffic.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/placement/default_traffic.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

using ::testing::HasSubstr;

using Hops = std::map<std::pair<int32_t, int32_t>, std::pair<int64_t, int64_t>>;

// Worker by worker, by the definition: members ascending; ring, chain or all pairs.
Hops ByDefinition(const mesh::Family& family, v1::TrafficItem::Pattern pattern, int64_t per_unit) {
  Hops hops;
  for (int64_t g = 0; g < family.count(); ++g) {
    std::vector<int64_t> members = family.group(g).Members();
    std::sort(members.begin(), members.end());
    const size_t size = members.size();
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0; i < size; ++i) {
      if (pattern == v1::TrafficItem::ALL_PAIRS) {
        for (size_t j = i + 1; j < size; ++j) pairs.emplace_back(i, j);
      } else if (i + 1 < size || (pattern == v1::TrafficItem::RING && size > 1)) {
        pairs.emplace_back(i, (i + 1) % size);
      }
    }
    for (const auto& [i, j] : pairs) {
      const int64_t a = members[i] / per_unit, b = members[j] / per_unit;
      if (a == b) continue;
      auto& at = hops[{static_cast<int32_t>(std::min(a, b)), static_cast<int32_t>(std::max(a, b))}];
      ++(members[i] % per_unit == members[j] % per_unit ? at.first : at.second);
    }
  }
  return hops;
}

Hops Collapsed(const ItemTraffic& item) {
  Hops hops;
  for (const UnitEdge& edge : item.edges) hops[{edge.a, edge.b}] = {edge.same_rail, edge.cross_rail};
  for (const UnitClique& clique : item.cliques) {
    for (size_t i = 0; i < clique.units.size(); ++i) {
      for (size_t j = i + 1; j < clique.units.size(); ++j) {
        auto& at = hops[{clique.units[i], clique.units[j]}];
        at.first += clique.same_rail;
        at.second += clique.cross_rail;
      }
    }
  }
  return hops;
}

TEST(Traffic, CollapsedToUnits_EqualsTheDefinition) {
  const std::vector<std::shared_ptr<const mesh::Mesh>> meshes = {
      MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64), MegatronMesh({.tp = 2, .cp = 2, .pp = 2, .ep = 4, .etp = 1}, 64),
      MegatronMesh({.tp = 8, .pp = 4}, 64),          TorchMesh({{"dp", 60}, {"tp", 2}}),
      TorchMesh({{"a", 3}, {"b", 5}, {"c", 4}}),
  };
  for (const auto& mesh : meshes) {
    for (const int64_t per_unit : {1, 3, 4, 8, 12}) {
      for (const mesh::Family& family : mesh->families()) {
        for (const auto pattern : {v1::TrafficItem::RING, v1::TrafficItem::CHAIN, v1::TrafficItem::ALL_PAIRS}) {
          v1::TrafficItem item;
          item.set_family(std::string(family.name()));
          item.set_pattern(pattern);
          item.set_weight(1);
          const auto traffic = UnitTraffic::Of(*mesh, {item}, per_unit);
          ASSERT_TRUE(traffic.ok()) << traffic.status();
          Hops collapsed = Collapsed(traffic->items[0]);
          EXPECT_EQ(collapsed, ByDefinition(family, pattern, per_unit))
              << std::string(family.name()) << " pattern " << pattern << " of " << mesh->world() << " by " << per_unit;
        }
      }
    }
  }
}

TEST(Traffic, Defaults_FollowTheAxes) {
  const auto dense = DefaultTraffic(*MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64));
  ASSERT_EQ(dense.size(), 4u);
  EXPECT_EQ(dense[2].family(), "dp_cp");
  EXPECT_EQ(dense[3].pattern(), v1::TrafficItem::CHAIN);
  const auto experts = DefaultTraffic(*MegatronMesh({.tp = 4, .cp = 2, .pp = 4, .ep = 64, .etp = 1}, 256));
  std::set<std::string> families;
  for (const v1::TrafficItem& item : experts) families.insert(item.family());
  EXPECT_EQ(families.count("ep"), 1u);
  EXPECT_EQ(experts[4].weight(), 2);  // 140 / 64
}

TEST(Traffic, BadItems_AreRefusedByField) {
  const auto mesh = MegatronMesh({.tp = 4, .cp = 2, .pp = 2}, 64);
  v1::TrafficItem item;
  item.set_family("dp_pc");
  const auto unknown = UnitTraffic::Of(*mesh, {item}, 8);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(std::string(unknown.status().message()),
              HasSubstr("traffic[0].family: this mesh has no family \"dp_pc\"; "
                        "did you mean \"dp_cp\"?"));
  const auto vast = TorchMesh({{"dp", 1'000'000}, {"tp", 8}});
  item.set_family("dp");
  item.set_pattern(v1::TrafficItem::ALL_PAIRS);
  item.set_weight(1'000'000);
  const auto heavy = UnitTraffic::Of(*vast, {item}, 8);
  ASSERT_FALSE(heavy.ok());
  EXPECT_THAT(std::string(heavy.status().message()), HasSubstr("passes 2^38"));
  item.set_pattern(v1::TrafficItem::RING);
  item.set_weight(17);
  EXPECT_TRUE(UnitTraffic::Of(*vast, {item}, 8).ok());
}

}  // namespace
}  // namespace muster::placement
