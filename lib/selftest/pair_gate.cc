#include "lib/selftest/pair_gate.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::selftest {

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t n = values.size(), half = n / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  const double upper = values[half];
  if (n % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

double PairReference(const std::vector<double>& controls, const std::vector<double>& earlier) {
  if (controls.size() >= 3) return MedianOf(controls);
  std::vector<double> all = controls;
  all.insert(all.end(), earlier.begin(), earlier.end());
  return MedianOf(std::move(all));
}

double ScreenReference(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t rank = (values.size() * 3 + 3) / 4 - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

}  // namespace muster::selftest
