#include "lib/mesh/checked.h"

#include <limits>

#include "gtest/gtest.h"

namespace muster::mesh {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Checked, ProductThatFits_IsExact) {
  EXPECT_EQ(CheckedProduct({}), 1);
  EXPECT_EQ(CheckedProduct({int64_t{1} << 31, int64_t{1} << 31}), int64_t{1} << 62);
  EXPECT_EQ(CheckedProduct({kMax, 1}), kMax);
}

TEST(Checked, ProductThatDoesNotFit_IsNone) {
  EXPECT_EQ(CheckedProduct({int64_t{1} << 32, int64_t{1} << 31}), absl::nullopt);
  EXPECT_EQ(CheckedProduct({kMax, 2}), absl::nullopt);
}

TEST(Checked, Lcm) {
  EXPECT_EQ(CheckedLcm(16, 40), 80);
  EXPECT_EQ(CheckedLcm(kMax, kMax), kMax);
  EXPECT_EQ(CheckedLcm(kMax, kMax - 1), absl::nullopt);
}

}  // namespace
}  // namespace muster::mesh
