#include "lib/selftest/compare.h"

#include <gtest/gtest.h>

namespace muster::selftest {
namespace {

v1::Receipt Base() {
  v1::Receipt r;
  r.set_id("rcp-1");
  r.set_verdict(v1::PASS);
  auto* axis = r.mutable_mesh()->add_axes();
  axis->set_name("tp");
  axis->set_size(2);
  r.mutable_placement()->add_ranks()->set_node("n0");
  auto* node = r.add_nodes();
  node->set_node("n0");
  (*node->mutable_facts())["kernel"] = "6.1";
  auto* family = r.add_families();
  family->set_family("dp");
  family->set_collective(v1::ALL_GATHER);
  family->set_measured(true);
  family->set_median_gbps(100);
  family->set_slowest_gbps(90);
  (*r.mutable_annotations())["loss"] = "2.1";
  return r;
}

TEST(Compare, EqualRuns_HaveNoDifference) {
  v1::Receipt other = Base();
  other.set_id("rcp-2");
  other.mutable_families(0)->set_median_gbps(98);  // noise
  EXPECT_TRUE(Compare(Base(), other).empty());
}

TEST(Compare, Differences_ComeMostTellingFirst) {
  v1::Receipt other = Base();
  (*other.mutable_annotations())["loss"] = "2.3";
  other.mutable_families(0)->set_median_gbps(80);
  other.mutable_families(0)->set_slowest_gbps(30);
  (*other.mutable_nodes(0)->mutable_facts())["kernel"] = "6.5";
  other.mutable_placement()->mutable_ranks(0)->set_node("n7");
  other.mutable_mesh()->mutable_axes(0)->set_size(4);
  other.set_verdict(v1::FAIL);
  std::vector<std::string> fields;
  for (const auto& d : Compare(Base(), other)) fields.push_back(d.field());
  EXPECT_EQ(fields, (std::vector<std::string>{"verdict", "mesh.axes.tp", "placement.ranks[0]", "nodes[n0].facts.kernel",
                                              "families.dp.ALL_GATHER.0.slowest_gbps",
                                              "families.dp.ALL_GATHER.0.median_gbps", "annotations.loss"}));
}

TEST(Compare, Numbers_HaveTheirRatio) {
  v1::Receipt other = Base();
  other.mutable_families(0)->set_slowest_gbps(45);
  const auto differences = Compare(Base(), other);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_DOUBLE_EQ(differences[0].ratio(), 0.5);
  EXPECT_EQ(differences[0].left(), "90");
  EXPECT_EQ(differences[0].right(), "45");
}

TEST(Compare, EmptyReceipts_AreAlike) { EXPECT_TRUE(Compare({}, {}).empty()); }

}  // namespace
}  // namespace muster::selftest
