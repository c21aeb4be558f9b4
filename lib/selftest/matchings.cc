#include "lib/selftest/matchings.h"

#include <algorithm>

namespace muster::selftest {

int Matchings(int n) { return n < 2 ? 0 : n % 2 == 0 ? n - 1 : n; }

int ScreenMatchings(int n) { return std::min(Matchings(n), n <= 8 ? 3 : 1 + n % 2); }

std::vector<std::pair<int, int>> Matching(int n, int round) {
  std::vector<std::pair<int, int>> pairs;
  if (n < 2) return pairs;
  // With an odd n the fixed place is empty: who meets it rests.
  const int circle = n % 2 == 0 ? n - 1 : n;
  const int turn = round % circle;
  const auto add = [&](int a, int b) { pairs.emplace_back(std::min(a, b), std::max(a, b)); };
  if (n % 2 == 0) add(turn, circle);
  for (int k = 1; k <= (circle - 1) / 2; ++k) add((turn + k) % circle, (turn + circle - k) % circle);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace muster::selftest
