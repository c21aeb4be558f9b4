#pragma once
// What is known of a fabric from tests of node pairs, without what a test is or how fast: good or bad.

#include <cstdint>
#include <vector>

namespace muster::selftest {

// The nodes under test, as numbers.
struct Fabric {
  int nodes = 0;
  // Paths that a pair is tested on at once, one an accelerator of a node and its NIC.
  int rails = 1;
  // [tier][node], tiers coarse to fine: equal numbers share a domain, a negative one is unknown and equal to nothing.
  std::vector<std::vector<int>> domains = {};
};

enum class Seen : uint8_t {
  kUnknown,  // absent, late, unreadable, or not tested: says nothing
  kGood,
  kBad,  // below the gate, wrong data, or broken while both sides were there
};

// One test of one pair.
struct PairResult {
  int a = 0, b = 0;
  std::vector<Seen> rails;  // by rail; shorter: the rest is unknown
  int round = 0;            // what is seen in one round only may have passed by the next
};

struct PairTest {
  int a = 0, b = 0;
  auto operator<=>(const PairTest&) const = default;
};

// Tests that run at once: no node is in two of them.
using PairStep = std::vector<PairTest>;

}  // namespace muster::selftest
