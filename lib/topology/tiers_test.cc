#include "lib/topology/tiers.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tiers, LabelKeys_NameTheirTiers) {
  const auto tiers = Tiers::FromLabels({"zone", "cloud.example.com/topology-block", "net.example.com/rack"});
  ASSERT_TRUE(tiers.ok()) << tiers.status();
  EXPECT_THAT(tiers->Names(), ElementsAre("zone", "block", "rack"));
  EXPECT_EQ(tiers->Find("rack"), 2u);
  EXPECT_EQ(tiers->Find("cloud.example.com/topology-block"), 1u);
  EXPECT_FALSE(tiers->Find("Rack").has_value());
}

TEST(Tiers, Path_TakesUnknownForMissing) {
  const auto tiers = Tiers::FromLabels({"block", "rack"});
  ASSERT_TRUE(tiers.ok());
  EXPECT_EQ(PathText(PathOf(std::map<std::string, std::string>{{"block", "b1"}, {"other", "x"}}, *tiers)), "b1/-");
  EXPECT_EQ(PathText(PathOf(std::map<std::string, std::string>{{"block", ""}, {"rack", "r1"}}, *tiers)), "-/r1");
}

struct BadTiers {
  std::vector<Tier> tiers;
  std::string says;
};

TEST(Tiers, BadTiers_AreRefusedByName) {
  const std::vector<BadTiers> rows = {
      {{{"", "l"}}, "tiers[0]: the name is empty"},
      {{{"rack", ""}}, "tiers[0]: the label is empty"},
      {{{"rack", "a"}, {"rack", "b"}}, "tiers[1]: name \"rack\" is there twice"},
      {{{"rack", "a"}, {"block", "a"}}, "tiers[1]: label \"a\" is there twice"},
      {{{std::string(400, 'x'), "a"}}, "has 400 characters; at most 317"},
      {std::vector<Tier>(9, {"a", "a"}), "there are 9 tiers; at most 8"},
  };
  for (const BadTiers& row : rows) {
    const auto tiers = Tiers::Create(row.tiers);
    ASSERT_FALSE(tiers.ok()) << row.says;
    EXPECT_THAT(std::string(tiers.status().message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace muster
