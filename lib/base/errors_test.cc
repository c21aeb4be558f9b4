#include "lib/base/errors.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(FieldError, NamesFieldProblemAndWayOut) {
  const absl::Status status = FieldError("spec.members", "must be at least 1, is 0", "set it to the number of pods");
  EXPECT_EQ(std::string(status.message()), "spec.members: must be at least 1, is 0; set it to the number of pods");
  ASSERT_TRUE(DetailOf(status));
  EXPECT_EQ(DetailOf(status)->outcome(), v1::BAD_REQUEST);
  EXPECT_EQ(DetailOf(status)->field(), "spec.members");
}

TEST(DetailOf, StatusWithoutPayload_HasNone) { EXPECT_FALSE(DetailOf(absl::InternalError("x"))); }

TEST(FewNames, ShowsThreeAndCountsTheRest) {
  EXPECT_EQ(FewNames({}), "");
  EXPECT_EQ(FewNames({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(FewNames({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
}

TEST(NearestName, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> axes = {"tp", "cp", "dp", "pp", "ep", "etp"};
  EXPECT_EQ(NearestName("dpp", axes), "dp");
  EXPECT_EQ(NearestName("mebmers", {"members", "mesh"}), "members");
  EXPECT_EQ(NearestName("zebra", axes), "");
}

}  // namespace
}  // namespace muster
