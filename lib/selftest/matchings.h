#pragma once
// Disjoint pairs of n things, so that all of them can be tested at once without sharing an end.

#include <utility>
#include <vector>

namespace muster::selftest {

// Matching `round` of the circle method (fix one, rotate the rest): n - 1 rounds for an even n, n for an odd one, in
// which each pair comes exactly once; of an odd n one rests in each round. Later rounds repeat the first ones.
// First < second in each pair; ascending. Empty for n < 2. Precondition: round >= 0.
std::vector<std::pair<int, int>> Matching(int n, int round);

// How many rounds have different pairs.
int Matchings(int n);

// Matchings after which every node has been tested and a bad one can be told from its partner: 1, of an odd n 2 (one
// rests), up to eight nodes 3, as two pairs would only say that one is slower than the other.
int ScreenMatchings(int n);

}  // namespace muster::selftest
