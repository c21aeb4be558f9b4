#include "lib/selftest/receipt.h"

#include <gtest/gtest.h>

#include "lib/selftest/fake_fabric.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/plan.h"

namespace muster::selftest {
namespace {

v1::Receipt ReceiptOf(const Setting& setting) {
  const v1::TestPlan plan = MakePlan(setting).value();
  const std::vector<Round> rounds = {{plan, FakeFabric{}.Run(setting, plan)}};
  ReceiptIdentity identity;
  identity.id = ReceiptId{"rcp-1"};
  identity.ns = "default";
  identity.name = "demo";
  identity.started = absl::FromUnixSeconds(100);
  identity.finished = absl::FromUnixSeconds(104);
  return MakeReceipt(identity, setting, rounds, std::get<Conclusion>(NextRound(setting, rounds)));
}

TEST(Receipt, PassedTest_HasAllThatIsNeededToRepeatIt) {
  const v1::Receipt receipt = ReceiptOf(DemoSetting());
  EXPECT_EQ(receipt.format(), 1);
  EXPECT_EQ(receipt.id(), "rcp-1");
  EXPECT_EQ(receipt.test_id(), "test-1");
  EXPECT_EQ(receipt.placement_digest(), "digest");
  EXPECT_EQ(receipt.verdict(), v1::PASS);
  EXPECT_EQ(receipt.plans_size(), 1);
  EXPECT_EQ(receipt.plans(0).steps(0).groups_size(), 4);
  // Of tp three collectives, of dp two, pp, rails, and pairs.
  EXPECT_EQ(receipt.families_size(), 8);
  EXPECT_EQ(receipt.groups_size(), 38);
  EXPECT_EQ(receipt.members(), 4);
  EXPECT_EQ(receipt.seed(), 7u);
  EXPECT_EQ(receipt.finished().seconds() - receipt.started().seconds(), 4);
  EXPECT_TRUE(receipt.actions().empty());
}

TEST(Receipt, LargeWorld_KeepsOnlyWhatIsNoPlainPass) {
  mesh::MegatronSpec spec;
  spec.tp = 8;
  const v1::Receipt receipt = ReceiptOf(FakeSetting(spec, 2048, 8));
  EXPECT_EQ(receipt.groups_size(), 0);
  EXPECT_EQ(receipt.families(0).groups(), 8);
  EXPECT_EQ(receipt.plans(0).steps(0).groups_size(), 0);
}

TEST(Receipt, Waiver_SaysSo) {
  const v1::Receipt receipt = MakeWaiver({}, DemoSetting(), "profile none, allowed in namespace default");
  EXPECT_TRUE(receipt.waived());
  EXPECT_EQ(receipt.verdict(), v1::SKIPPED);
  EXPECT_NE(receipt.summary().find("untested"), std::string::npos);
}

}  // namespace
}  // namespace muster::selftest
