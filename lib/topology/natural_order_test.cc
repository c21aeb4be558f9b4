#include "lib/topology/natural_order.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(NaturalOrder, NamesInCountingOrder_CompareAsListed) {
  const std::vector<std::vector<std::string>> chains = {
      {"", "-", "1", "01", "001", "2", "10", "9999999999999999999998", "9999999999999999999999", "A", "a", "a-1"},
      {"gpu-2", "gpu-2-b10", "gpu-10", "gpu-a"},
      {"n1", "n01", "n1x", "n2", "n02", "n10"},
      {"a1b1", "a01b1", "a1b2"},
      {"r-009", "r-10", "r-0011"},
  };
  for (const auto& chain : chains) {
    for (size_t i = 0; i < chain.size(); ++i) {
      for (size_t j = 0; j < chain.size(); ++j) {
        const int order = CompareNatural(chain[i], chain[j]);
        EXPECT_EQ(order < 0, i < j) << chain[i] << " against " << chain[j];
        EXPECT_EQ(order == 0, i == j) << chain[i] << " against " << chain[j];
      }
    }
  }
}

TEST(NaturalOrder, RandomNames_AreTotallyOrdered) {
  std::mt19937 random(7);
  const std::string letters = "0019ab-";
  std::vector<std::string> names;
  for (int i = 0; i < 120; ++i) {
    std::string name;
    for (int k = 0, length = random() % 6; k < length; ++k) name += letters[random() % letters.size()];
    names.push_back(name);
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(CompareNatural(a, b), -CompareNatural(b, a));
      EXPECT_EQ(CompareNatural(a, b) == 0, a == b);
      for (const std::string& c : names) {
        if (CompareNatural(a, b) > 0 || CompareNatural(b, c) > 0) continue;
        ASSERT_LE(CompareNatural(a, c), 0) << a << " " << b << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace muster
