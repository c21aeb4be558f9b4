#include "lib/mesh/digits.h"

#include <vector>

#include "gtest/gtest.h"

namespace muster::mesh {
namespace {

const Digits kSeveral[] = {
    {},
    {{1, 5}},
    {{4, 2}, {8, 4}},
    {{8, 4}, {1, 4}, {4, 2}},  // any sequence of strides
    {{3, 1}, {3, 2}, {6, 1}, {12, 3}},
    {{2, 2}, {32, 2}, {4, 4}, {1, 2}},
};

TEST(Digits, OffsetOfEveryIndex_IndexComesBack) {
  for (const Digits& digits : kSeveral) {
    for (int64_t index = 0; index < CountOf(digits); ++index) {
      EXPECT_EQ(IndexAt(digits, OffsetAt(digits, index)), index);
    }
  }
}

TEST(Digits, OffsetOfNoIndex_IsNone) {
  EXPECT_EQ(IndexAt({{4, 2}, {8, 4}}, 3), absl::nullopt);
  EXPECT_EQ(IndexAt({{4, 2}, {8, 4}}, 32), absl::nullopt);
  EXPECT_EQ(IndexAt({{4, 2}, {8, 4}}, -4), absl::nullopt);
  EXPECT_EQ(IndexAt({}, 1), absl::nullopt);
  EXPECT_EQ(IndexAt({}, 0), 0);
}

TEST(Digits, StrideBackwardsOrNone_IndexStillFound) {
  const Digits back = {{-12, 2}};
  EXPECT_EQ(OffsetAt(back, 1), -12);
  EXPECT_EQ(IndexAt(back, -12), 1);
  EXPECT_EQ(IndexAt(back, 0), 0);
  EXPECT_EQ(IndexAt(back, 12), absl::nullopt);
  EXPECT_EQ(IndexAt({{0, 2}}, 0), 0);
}

TEST(Digits, ValuesAtAndOf_Agree) {
  const Digits digits = {{8, 4}, {1, 4}, {4, 2}};
  EXPECT_EQ(ValuesAt(digits, 22), (DigitValues{2, 1, 1}));
  EXPECT_EQ(ValuesOf(digits, OffsetAt(digits, 22)), (DigitValues{2, 1, 1}));
}

TEST(Digits, Split_LowAndHighMakeTheWhole) {
  struct {
    Digits digits;
    int64_t count;
  } cases[] = {
      {{{2, 8}}, 4}, {{{4, 2}, {8, 4}}, 2}, {{{4, 2}, {8, 6}}, 3}, {{{4, 2}, {16, 6}}, 4}, {{{1, 6}}, 1}, {{{1, 6}}, 6},
      {{}, 1}};
  for (const auto& test : cases) {
    const auto parts = SplitAt(test.digits, test.count);
    ASSERT_TRUE(parts);
    ASSERT_EQ(CountOf(parts->first), test.count);
    for (int64_t index = 0; index < CountOf(test.digits); ++index) {
      EXPECT_EQ(OffsetAt(parts->first, index % test.count) + OffsetAt(parts->second, index / test.count),
                OffsetAt(test.digits, index));
    }
  }
}

TEST(Digits, SplitInsideADigitUnevenly_IsNone) {
  EXPECT_FALSE(SplitAt({{1, 2}, {16, 3}}, 3));
  EXPECT_FALSE(SplitAt({{1, 6}}, 4));
  EXPECT_FALSE(SplitAt({{1, 2}, {16, 6}}, 8));
}

TEST(Digits, Joined_ContinuingNeighboursBecomeOne) {
  EXPECT_EQ(Joined({{1, 2}, {2, 3}, {6, 1}, {6, 2}, {24, 2}}), (Digits{{1, 12}, {24, 2}}));
  EXPECT_EQ(Trimmed({{1, 2}, {2, 1}, {2, 3}}), (Digits{{1, 2}, {2, 3}}));
}

}  // namespace
}  // namespace muster::mesh
