#pragma once
// What the tests of pairs are compared with once some nodes are suspect.

#include <vector>

namespace muster::selftest {

// `controls`: bandwidths of pairs of cleared nodes that ran beside the suspects in the same round: their median if
// there are three, as it was measured under the same load. Else the median with `earlier`, those of good pairs in the
// rounds before. 0: neither.
double PairReference(const std::vector<double>& controls, const std::vector<double>& earlier);

// What a first matching is compared with: the upper quartile (nearest rank), so that up to three quarters may be bad: a
// bad uplink slows every pair across it. 0: no values.
double ScreenReference(std::vector<double> values);

// Of an unsorted list; 0 if it is empty.
double MedianOf(std::vector<double> values);

}  // namespace muster::selftest
