#include "lib/selftest/carry_over.h"

#include <gtest/gtest.h>

namespace muster::selftest {
namespace {

v1::GroupResult Group(int64_t index, v1::TestVerdict verdict, std::vector<int32_t> nodes) {
  v1::GroupResult group;
  group.set_group_index(index);
  group.set_verdict(verdict);
  for (int32_t node : nodes) group.add_node_ranks(node);
  return group;
}

TEST(CarryOver, OnlyPassesOnUnchangedNodes_AreCarried) {
  v1::Receipt receipt;
  receipt.set_id("rcp-1");
  *receipt.add_groups() = Group(0, v1::PASS, {0, 1});
  *receipt.add_groups() = Group(1, v1::PASS, {1, 2});
  *receipt.add_groups() = Group(2, v1::FAIL, {0, 1});
  *receipt.add_groups() = Group(3, v1::INCONCLUSIVE, {0, 1});
  *receipt.add_groups() = Group(4, v1::WARN, {0});
  *receipt.add_groups() = Group(5, v1::PASS, {});
  receipt.mutable_groups(4)->set_carried_from("rcp-0");
  const auto carried = CarryOver(receipt, [](int32_t node) { return node != 2; });
  ASSERT_EQ(carried.size(), 2u);
  EXPECT_EQ(carried[0].group_index(), 0);
  EXPECT_EQ(carried[0].carried_from(), "rcp-1");
  EXPECT_EQ(carried[1].carried_from(), "rcp-0");
}

}  // namespace
}  // namespace muster::selftest
